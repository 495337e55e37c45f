#include "calibrate/probed_curves.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "calibrate/cost_table_text.h"
#include "calibrate/gpu_costs.h"
#include "calibrate/launch_probe.h"

namespace quintet::calibrate {
namespace {

constexpr double least_usable = 0.6;

}  // namespace

ProbedCurves::ProbedCurves(const CalibrateArguments& arguments, const CalibrateInputs& inputs,
                           ProbeRange range, const Gpu& gpu)
    : arguments_(arguments),
      where_(where_and_when(gpu)),
      request_{
          std::move(range),
          {inputs.topology, arguments.topology, arguments.kernels, !gpu && namespaces_allowed(),
           arguments.output + ".probes", gpu ? Processor::gpu : Processor::cpu},
          "",
          journal_of(arguments),
          arguments.target / 100,
          Seconds{arguments.time},
          arguments.cores} {
  if (gpu) request_.cores = request_.range.ranks;
  request_.conditions = conditions_of(arguments, inputs.topology, request_.range, gpu);
}

std::optional<Error> ProbedCurves::add_to(CostTable& table, std::vector<StagingCosts>& staging) {
  Result<SampledCalibration> made = sampled_calibration(request_);
  if (!made) return made.error();
  const Sampled& sampled = made->sampled;
  table.curves = sampled.knowledge.curves();
  table.not_measured = not_measured(request_, sampled);
  if (arguments_.without_messages) table.not_measured.emplace_back("messages between ranks");
  staging = sampled.staging;
  table.source = where_ + "; quintet calibrate, " + how_it_ended(sampled);
  std::fprintf(stderr, "Operators: %s.\n", how_it_ended(sampled).c_str());
  made_ = std::move(*made);
  return std::nullopt;
}

std::optional<Error> ProbedCurves::add_gpu_to(CostTable& table) const {
  if (auto error = add_gpu(made_->records, table)) return error;
  const auto issue = probed_issue_time(made_->records, made_->candidates, request_.place);
  if (!issue) return issue.error();
  if (!*issue) return std::nullopt;
  table.launch.eager = **issue;
  table.launch.source += "; eager: a probe's step that waited for it";
  return std::nullopt;
}

std::optional<Error> ProbedCurves::add_whole_steps(CostTable& table) const {
  constexpr int enough = 4;
  constexpr double close = 0.005;
  Result<std::vector<WholeStep>> steps = steps_by(table);
  const bool on_cores = request_.place.processor == Processor::cpu;
  for (int time = 0; on_cores && time < enough && steps && !steps->empty(); ++time) {
    const double ratio = proven_ratio(*steps);
    double& usable = table.processors->usable;
    const double next = std::clamp(usable / ratio, least_usable, 1.0);
    if (std::abs(ratio - 1) < close || next == usable) break;
    usable = next;
    steps = steps_by(table);
  }
  if (!steps) return steps.error();
  const Residuals residuals = whole_step_residuals(*steps);
  table.whole_steps = {residuals, "steps of the probes, " + where_};
  if (on_cores)
    std::fprintf(stderr, "Ranks get %.0f %% of the cores that they want.\n",
                 100 * table.processors->usable);
  std::fprintf(stderr, "Steps of %d probes are %+.1f to %+.1f %% off what the table predicts.\n",
               residuals.samples, 100 * residuals.p05, 100 * residuals.p95);
  return std::nullopt;
}

Result<std::vector<WholeStep>> ProbedCurves::steps_by(const CostTable& table) const {
  const std::string so_far = (request_.place.folder / "costs.json").string();
  if (auto error = write_table(so_far, table)) return *error;
  return whole_steps(made_->records, made_->candidates, so_far, request_.place);
}

}  // namespace quintet::calibrate
