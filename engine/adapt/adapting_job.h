// The controller (sim/adapt/controller.h) of a job that runs: every rank hears what all ranks saw
// of a step, decides by it alone, and so decides what all others do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/adapt/told_passes.h"
#include "sim/adapt/controller.h"
#include "sim/plan/plan.h"
#include "sim/program/program.h"

namespace quintet::engine {

class AdaptingJob {
 public:
  // `home`: the plan when all is well.
  AdaptingJob(Plan home, PredictStep predict, const CandidateLimits& limits);

  const Plan& running() const { return running_; }
  std::size_t told() const { return told_passes_of(home_.parallelism); }

  // What the next step is to be, of what all ranks told of the last one, whose program it was.
  Result<Adaptation> after_step(const Program& program, std::span<const ToldPass> all);

 private:
  Plan home_, running_;
  PredictStep predict_;
  AdaptRules rules_;
  Believed believed_;
};

// "Plan: messages between stages 2 and 3 are 40.1 ms late; from here on delegated, 312.0 ms
// predicted", or "Plan: delegated takes 340.2 ms a step, 312.0 ms before it: back to as planned",
// for people.
std::string adaptation_line(const Adaptation& next);

}  // namespace quintet::engine
