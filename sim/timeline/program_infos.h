// What each instruction of a program is called and shows in a timeline, predicted or measured.
#pragma once

#include <vector>

#include "sim/program/program.h"
#include "sim/timeline/timeline.h"

namespace quintet {

// The instructions of all bodies, in order: what Span::info counts.
std::vector<const Instruction*> all_instructions(const Program& program);

// One per instruction, in that order; without `detail`.
std::vector<SpanInfo> program_infos(const Program& program);

}  // namespace quintet
