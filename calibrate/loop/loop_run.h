// One plan of the loop: predicted, run and compared by the programs that users call themselves.
#pragma once

#include <optional>
#include <string>

#include "calibrate/loop/loop_report.h"
#include "calibrate/probes/training_run.h"
#include "sim/base/result.h"

namespace quintet::calibrate {

struct LoopCase {
  std::string model_name, plan_name, costs;
  TrainingRun run;
};

// Predicts the plan and compares that with what its run measured, which left its files. Fails with
// the name of the program that did; it said why on the standard error.
Result<LoopRow> compared_row(const LoopCase& what, const MeasuredSteps& measured);

}  // namespace quintet::calibrate
