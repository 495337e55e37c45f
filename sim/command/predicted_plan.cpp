#include "sim/command/predicted_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "sim/answer/assumptions.h"
#include "sim/command/machines/machine_inputs.h"
#include "sim/usage/complain.h"
#include "sim/usage/out_of_memory.h"
#include "sim/usage/shipped.h"

namespace quintet {

namespace {

std::vector<Bytes> carried_by_links(const Prediction& prediction) {
  std::vector<Bytes> carried;
  for (const std::int32_t load : prediction.load_of_link)
    carried.push_back(load < 0 ? Bytes{}
                               : Bytes{prediction.loads[static_cast<std::size_t>(load)].bytes});
  return carried;
}

// Before what takes long.
void announce(const std::string& plan, const WalkExtent& extent) {
  constexpr Seconds noticed{2.0};
  const Seconds expected = expected_time(extent);
  if (expected < noticed) return;
  std::fprintf(stderr, "%s",
               fmt::format("{}: {:.1f} million tasks of {} kinds of ranks, about {:.0f} s.\n", plan,
                           static_cast<double>(extent.tasks) / 1e6, extent.classes, expected.value)
                   .c_str());
}

PredictOptions predict_options(const Asked& asked, const PlanInput& input) {
  PredictOptions options = asked.options;
  options.compile = asked.inputs.compile;
  options.progress = [&](double share) {
    asked.progress.show(input.plan.name, share);
    if (asked.options.progress) asked.options.progress(share);
  };
  return options;
}

std::vector<AssumptionEffect> effects_of(const Asked& asked, const PlanInput& input,
                                         const Prediction& prediction) {
  const Inputs& inputs = asked.inputs;
  const bool between_hosts = std::any_of(prediction.move_bases.begin(), prediction.move_bases.end(),
                                         [](const MoveBasis& each) { return each.between_hosts; });
  return assumption_effects(
      prediction.summary.step, variants_of(input.plan, inputs.costs, between_hosts),
      [&](const Variant& variant) -> Result<Seconds> {
        const Result<Prediction> other = predict(inputs.model, variant.plan, inputs.topology,
                                                 variant.costs, predict_options(asked, input));
        if (!other) return other.error();
        return other->summary.step;
      });
}

}  // namespace

Result<PublishedResiduals> shipped_residuals() {
  const std::filesystem::path file = data_directory() / "traces/residuals.json";
  std::error_code unreadable;
  if (!std::filesystem::exists(file, unreadable)) return PublishedResiduals{};
  return read_residuals(file);
}

// The cost table is named by its name; the user knows it by its file.
Error with_files(const Error& error, const PlanInput& plan, const Inputs& inputs) {
  std::string text = error.text();
  // Nobody named the table.
  if (!inputs.remarks.empty())
    text += "\n  --costs names another table; of machines without GPUs are " +
            joined(shipped_for_any_machine());
  return {plan.file + " with " + inputs.costs_file, text};
}

Result<NamedPrediction> predict_plan(const Asked& asked, const PlanInput& input) {
  const Inputs& inputs = asked.inputs;
  PredictOptions options = predict_options(asked, input);
  if (!asked.quiet)
    options.begins = [&](const WalkExtent& extent) { announce(input.plan.name, extent); };
  Result<Prediction> prediction = making(
      "the prediction of " + input.plan.name,
      "less is needed with fewer parallelism.micro_batches, or layers and hosts",
      [&] { return predict(inputs.model, input.plan, inputs.topology, inputs.costs, options); });
  asked.progress.clear();
  if (!prediction) return with_files(prediction.error(), input, inputs);
  std::vector<BusyLinks> busiest =
      busiest_links(inputs.topology, carried_by_links(*prediction), seconds(prediction->mean.step));
  Answer answer = answer_of(input.plan, input.file, *prediction, asked.context);
  answer.remarks.insert(answer.remarks.end(), inputs.remarks.begin(), inputs.remarks.end());
  if (asked.assumptions) answer.assumptions = effects_of(asked, input, *prediction);
  asked.progress.clear();
  return NamedPrediction{input.plan.name, std::move(*prediction), std::move(busiest),
                         std::move(answer)};
}

}  // namespace quintet
