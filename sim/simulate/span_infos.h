// What each instruction of a program is called and shows in a timeline.
#pragma once

#include <vector>

#include "sim/program/program.h"
#include "sim/simulate/world.h"
#include "sim/timeline/timeline.h"

namespace quintet {

// One per instruction of the InstructionTable, in its order. `patterns`: its communication pattern,
// -1: none.
std::vector<SpanInfo> span_infos(const Program& program, const Communications& communications,
                                 const FoldedWorld& world,
                                 const std::vector<std::int32_t>& patterns);

}  // namespace quintet
