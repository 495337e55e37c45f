#include "calibrate/command/probed_curves.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <utility>

#include "calibrate/command/calibrated_table.h"
#include "calibrate/command/gpu_costs.h"
#include "calibrate/operators/operator_knowledge.h"
#include "calibrate/probes/core_sharing.h"
#include "calibrate/probes/launch_probe.h"
#include "sim/cost/operator_family.h"

namespace quintet::calibrate {
namespace {

// Families that no other probe has keep their own curves.
std::vector<OperatorCurve> with_families_of(const std::vector<OperatorCurve>& all,
                                            std::vector<OperatorCurve> some) {
  const auto family = [](const OperatorCurve& each) { return family_of(each.points.front().work); };
  const std::size_t known = some.size();
  for (const OperatorCurve& each : all)
    if (std::none_of(some.begin(), some.begin() + static_cast<std::ptrdiff_t>(known),
                     [&](const OperatorCurve& other) { return family(other) == family(each); }))
      some.push_back(each);
  return some;
}

std::string form_of(const ProbeRecord& record, const SampledCalibration& made) {
  for (const Candidate& each : made.candidates)
    if (each.probe.name == record.probe) return each.probe.form;
  return "";  // of a calibration of another range
}

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
  const bool on_cores = request_.place.processor == Processor::cpu;
  const StepsBy steps_by = [this](const CostTable& tried) {
    return steps_of(made_->records, tried);
  };
  if (on_cores)
    if (auto error = fit_core_sharing(steps_by, table)) return error;
  const Result<std::vector<WholeStep>> steps = held_out_steps(table);
  if (!steps) return steps.error();
  const Residuals residuals = whole_step_residuals(*steps);
  table.whole_steps = {residuals, "steps of the probes, each by operators of others, " + where_};
  if (on_cores)
    std::fprintf(stderr,
                 "Ranks get %.0f %% of the cores that they want and meet up to %.1f ms late.\n",
                 100 * table.processors->usable, 1e3 * table.processors->arrival_spread.most.value);
  std::fprintf(
      stderr,
      "Steps of %d probes are %+.1f to %+.1f %% off what the table predicts without them.\n",
      residuals.samples, 100 * residuals.p05, 100 * residuals.p95);
  return std::nullopt;
}

// Those of one form after another, by curves through the operators of all other forms: what is
// asked for later are plans of kinds that no probe had.
Result<std::vector<WholeStep>> ProbedCurves::held_out_steps(const CostTable& table) const {
  std::map<std::string, std::vector<ProbeRecord>> by_form;
  for (const ProbeRecord& each : made_->records) by_form[form_of(each, *made_)].push_back(each);
  std::vector<WholeStep> all;
  for (const auto& [form, left_out] : by_form) {
    OperatorKnowledge others;
    for (const auto& [other, records] : by_form)
      if (other != form)
        for (const ProbeRecord& each : records) others.add(each.operators);
    others.fit();
    CostTable without = table;
    without.curves = with_families_of(table.curves, others.curves());
    const Result<std::vector<WholeStep>> steps = steps_of(left_out, without);
    if (!steps) return steps.error();
    all.insert(all.end(), steps->begin(), steps->end());
  }
  return all;
}

Result<std::vector<WholeStep>> ProbedCurves::steps_of(const std::vector<ProbeRecord>& records,
                                                      const CostTable& table) const {
  // The folder is not there yet where all probes are a journal's.
  std::error_code wrong;
  std::filesystem::create_directories(request_.place.folder, wrong);
  const std::string so_far = (request_.place.folder / "costs.json").string();
  if (auto error = write_table(so_far, table)) return *error;
  return whole_steps(records, made_->candidates, so_far, request_.place);
}

}  // namespace quintet::calibrate
