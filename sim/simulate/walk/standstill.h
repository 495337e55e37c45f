// Why a step has no end: its work waits for what never comes, or takes longer than clocks go.
#pragma once

#include "sim/base/ids.h"
#include "sim/base/result.h"
#include "sim/base/units.h"
#include "sim/plan/plan.h"
#include "sim/program/program.h"
#include "sim/simulate/walk/actor.h"
#include "sim/simulate/walk/tasks.h"

namespace quintet {

// `stuck` is not done and nothing happens any more since `end`; `shown`: the rank it stands for.
// Names what each lane waits for.
Error standstill(const Program& program, const InstructionTable& table, const Actor& stuck,
                 Rank shown, Instant end);

// The step of `plan` runs over end_of_time.
Error too_long(const Plan& plan);

}  // namespace quintet
