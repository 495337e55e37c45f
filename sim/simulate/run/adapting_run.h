// The controller (sim/adapt/controller.h) between the steps of a simulated run.
#pragma once

#include "sim/adapt/controller.h"
#include "sim/base/result.h"
#include "sim/simulate/run/faulted_run.h"

namespace quintet {

// For FaultedRunOptions::next_plan. What messages usually take is predicted of the machine without
// faults. Plans that are taken have the candidate's name behind the job's plan's, and that of the
// one that they are gone back from. What the job refers to must outlive it. Fails where predict()
// does, and for a plan without links between stages.
Result<NextPlan> adapting(const FaultedJob& job, const PredictOptions& options);

}  // namespace quintet
