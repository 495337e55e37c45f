// What each instruction of a program is called and shows in a timeline, predicted or measured.
#pragma once

#include <vector>

#include "sim/program/program.h"
#include "sim/timeline/timeline.h"

namespace quintet {

// One per instruction, in the order of all_instructions: what Span::info counts. Without `detail`.
std::vector<SpanInfo> program_infos(const Program& program);

// The axis that a communicator serves: its first part's, or the pipeline's where it is among them.
Axis axis_of(const Communicator& communicator);

}  // namespace quintet
