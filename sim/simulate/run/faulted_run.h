// A run of many steps on a machine of which parts slow down, fail and come back meanwhile: every
// step is walked with what is wrong then, and steps that are alike are walked once.
//
// Between two steps a controller may say how to go on: the one place where a plan can change.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/simulate/predict.h"
#include "sim/topology/faults/fault_clock.h"
#include "sim/topology/faults/machine_state.h"

namespace quintet {

// What a controller sees when a step is over. The timeline is of that step.
struct FinishedStep {
  int step = 0;   // counted from 1
  Seconds began;  // since the run began
  const Plan& plan;
  const Program& program;
  const Timeline& timeline;
};
// The plan of the next step; nothing: as before. It must fit the machine.
using NextPlan = std::function<std::optional<Plan>(const FinishedStep&)>;

struct FaultedJob {
  const Model& model;
  const Plan& plan;
  const Topology& topology;
  const CostTable& costs;
  const FaultPlan& faults;
};

struct FaultedRunOptions {
  int steps = 1;
  // After which a communication, and with it the job, has failed; the engine's own default.
  Seconds deadline{60.0};
  // After which hosts that something dead cuts off are missed, by their heartbeats, and the job has
  // failed before its deadline; none: nobody listens for any.
  std::optional<Seconds> silence{};
  // What a failure in the middle of a step takes where traffic has another way: silence until it is
  // believed.
  Seconds resend_after{};
  NicLoss nic_loss = NicLoss::stands_still;
  PredictOptions predict;
  NextPlan next_plan{};
};

struct RunEvent {
  Seconds into_step;  // 0: as it began
  std::string what;
  bool operator==(const RunEvent&) const = default;
};

struct RunStep {
  int step = 0;
  Seconds began;
  Seconds time;
  Seconds usual;                   // of the first plan's step of this number without faults
  std::vector<RunEvent> events;    // that came in it
  std::vector<std::string> wrong;  // as it ended
  int plan = 0;                    // index into FaultedRun::plans
};

// Why a run ends before its last step.
struct RunEnd {
  int step = 0;
  Seconds at;  // since the run began: when patience with what stands still is over
  std::vector<RunEvent> events;  // of that step
  std::string why;
  std::vector<std::string> standing;  // what stands still, a phrase each
};

struct FaultedRun {
  Seconds usual;  // a step of the first plan while nothing is wrong
  // The same of steps without what replicas exchange in the last of so many only; as `usual` where
  // all are alike.
  Seconds usual_between;
  std::vector<RunStep> steps;
  std::vector<std::string> plans;  // their names, in the order of their first step
  std::optional<RunEnd> end;       // none: all steps are done
  int walks = 0;                   // steps that were walked; the others are like one of these
};

// Fails where predict() does, and where a fault names what is not there.
Result<FaultedRun> faulted_run(const FaultedJob& job, const FaultedRunOptions& options);

}  // namespace quintet
