// Timelines of this project, predicted or measured, as workloads.
#pragma once

#include <string>

#include "sim/base/result.h"
#include "sim/timeline/timeline.h"
#include "traces/workload/workload.h"

namespace quintet {

// Needs Timeline::causes, and each rank on a track of its own; the error says how to write such a
// trace. Launch gaps come to be pauses of a replay. `where`: the file, in messages.
Result<Workload> workload_of(const Timeline& timeline, const std::string& where);

// The collective that an instruction is, told by its name, which begins with it: "all-reduce
// bucket". All-reduce where it says nothing.
CollectiveKind collective_named(std::string_view name);

}  // namespace quintet
