// The histogram of lengths that a plan names, read.
#pragma once

#include "sim/base/result.h"
#include "sim/plan/plan.h"

namespace quintet {

// The plan with what parallelism.samples.lengths names, cut to its sequence_length; as it is where
// it names nothing. The error names the field and the file, its place and what is accepted.
Result<Plan> with_lengths(Result<Plan> plan);

}  // namespace quintet
