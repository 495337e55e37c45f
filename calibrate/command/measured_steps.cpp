#include "calibrate/command/measured_steps.h"

#include <cstdio>

#include "calibrate/command/calibrated_table.h"
#include "calibrate/probes/core_sharing.h"
#include "calibrate/probes/predicted_step.h"

namespace quintet::calibrate {
namespace {

Result<std::vector<WholeStep>> steps_by(const CalibrateArguments& arguments,
                                        const std::vector<MeasuredPlan>& runs,
                                        const CostTable& table) {
  if (auto error = write_table(arguments.output, table)) return *error;
  std::vector<WholeStep> steps;
  for (std::size_t index = 0; index < runs.size(); ++index) {
    const Result<PredictedStep> predicted = predicted_step({.model = arguments.models.front(),
                                                            .plan = arguments.plans[index],
                                                            .topology = arguments.topology,
                                                            .costs = arguments.output,
                                                            .timeline = {}});
    if (!predicted) return predicted.error();
    steps.push_back({runs[index].step, predicted->step, arguments.plans[index]});
  }
  return steps;
}

}  // namespace

std::optional<Error> fit_sharing_of_runs(const CalibrateArguments& arguments,
                                         const std::vector<MeasuredPlan>& runs, CostTable& table) {
  std::vector<BesideOperators> beside;
  for (const MeasuredPlan& run : runs)
    if (run.beside) beside.push_back(*run.beside);
  set_message_tail(beside, *table.processors);
  if (!arguments.set.empty() || runs.empty()) return std::nullopt;
  const auto steps = [&](const CostTable& tried) { return steps_by(arguments, runs, tried); };
  if (auto error = fit_core_sharing(steps, table)) return error;
  std::fprintf(stderr,
               "Messages between stages take %.0f us of cores beside moving, and ranks get "
               "%.0f %% of the cores that they want.\n",
               1e6 * table.processors->message_tail.value, 100 * table.processors->usable);
  return std::nullopt;
}

}  // namespace quintet::calibrate
