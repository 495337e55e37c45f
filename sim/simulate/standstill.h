// Why a step ends before all its work is done.
#pragma once

#include "sim/ids.h"
#include "sim/program/program.h"
#include "sim/result.h"
#include "sim/simulate/actor.h"
#include "sim/simulate/tasks.h"
#include "sim/units.h"

namespace quintet {

// `stuck` is not done and nothing happens any more since `end`; `shown`: the rank it stands for.
// Names what each lane waits for.
Error standstill(const Program& program, const InstructionTable& table, const Actor& stuck,
                 Rank shown, Instant end);

}  // namespace quintet
