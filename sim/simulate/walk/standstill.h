// Why a step has no end: its work waits for what never comes, or takes longer than clocks go.
#pragma once

#include <vector>

#include "sim/base/ids.h"
#include "sim/base/result.h"
#include "sim/base/units.h"
#include "sim/plan/plan.h"
#include "sim/program/program.h"
#include "sim/program/readiness.h"
#include "sim/simulate/fold/world.h"
#include "sim/simulate/walk/actor.h"
#include "sim/simulate/walk/matching.h"
#include "sim/simulate/walk/world_change.h"

namespace quintet {

// `stuck` is not done and nothing happens any more since `end`; `shown`: the rank it stands for.
// Names what each lane waits for.
Error standstill(const Program& program, const InstructionTable& table, const Readiness& stuck,
                 Rank shown, Instant end);

struct StoppedWalk {
  const Program& program;
  const InstructionTable& table;
  const FoldedWorld& world;
  const std::vector<Actor>& actors;
  const std::vector<std::vector<Instant>>& begun;  // per actor and lane: its last task
  const Meetings& meetings;
};
// What has begun and cannot end, by actor and lane.
std::vector<StandingTask> standing_tasks(const StoppedWalk& walk);

// The step of `plan` runs over end_of_time.
Error too_long(const Plan& plan);

}  // namespace quintet
