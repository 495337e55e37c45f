// The names of a program's instructions (sim/timeline/program_infos.h), collectives with how they
// go: "ring LL128, 16 channels".
#pragma once

#include <vector>

#include "sim/program/program.h"
#include "sim/simulate/fold/world.h"
#include "sim/timeline/timeline.h"

namespace quintet {

// One per instruction of the InstructionTable, in its order. `patterns`: its communication pattern,
// -1: none.
std::vector<SpanInfo> span_infos(const Program& program, const Communications& communications,
                                 const std::vector<std::int32_t>& patterns);

}  // namespace quintet
