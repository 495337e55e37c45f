// The histogram of lengths that a plan names, read.
#pragma once

#include <filesystem>

#include "sim/base/result.h"
#include "sim/plan/plan.h"

namespace quintet {

// The plan with what parallelism.samples.lengths names, cut to its sequence_length; as it is where
// it names nothing. It is looked for in `folder`, where the plan's file lies, then from the folder
// of work on, then among the shipped ones; what lies beside the plan has its whole path from then
// on, so that the plan can be written elsewhere. The error names the field and the file, its place
// and what is accepted.
Result<Plan> with_lengths(Result<Plan> plan, const std::filesystem::path& folder);

}  // namespace quintet
