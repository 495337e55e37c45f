#include "sim/explain/summary.h"

#include <algorithm>
#include <functional>

#include "sim/json/json_value.h"

namespace quintet {
namespace {

double ratio(double part, double whole) {
  return whole > 0.0 ? part / whole : 0.0;
}

Watts mean_power(const StepNumbers& numbers, double compute_share) {
  if (numbers.gpu_power == Watts{}) return {};
  const Watts gpu =
      numbers.gpu_idle_power + compute_share * (numbers.gpu_power - numbers.gpu_idle_power);
  return numbers.gpus * gpu + numbers.hosts * numbers.host_power + numbers.network_power;
}

// Numbers from a cent to a billion in few digits.
std::string short_number(double value) {
  return fixed(value, value >= 100.0 ? 0 : decimals_for(value));
}

struct SummaryRow {
  std::string_view name;
  std::function<double(const StepSummary&)> value;
  std::function<std::string(const StepSummary&)> text;
};

// A peak to compare with, which processors of hosts have not.
bool knows_peak(std::span<const Named<StepSummary>> plans) {
  return std::any_of(plans.begin(), plans.end(),
                     [](const auto& plan) { return plan.value.mfu > 0.0; });
}

std::vector<SummaryRow> summary_rows(bool on_gpus) {
  return {
      {"step time", [](const auto& s) { return s.step.value; },
       [](const auto& s) {
         const double ms = s.step.value * 1e3;
         return fixed(ms, decimals_for(ms)) + " ms";
       }},
      {"MFU", [](const auto& s) { return s.mfu; }, [](const auto& s) { return percent(s.mfu); }},
      {"HFU", [](const auto& s) { return s.hfu; }, [](const auto& s) { return percent(s.hfu); }},
      {"tokens/s", [](const auto& s) { return s.tokens_per_second; },
       [](const auto& s) { return short_number(s.tokens_per_second); }},
      {on_gpus ? "tokens/s per GPU" : "tokens/s per rank",
       [](const auto& s) { return s.tokens_per_second_per_gpu; },
       [](const auto& s) { return short_number(s.tokens_per_second_per_gpu); }},
      {"power", [](const auto& s) { return s.power.value; },
       [](const auto& s) { return short_number(s.power.value * 1e-3) + " kW"; }},
      {"energy per step", [](const auto& s) { return s.energy.value; },
       [](const auto& s) { return short_number(s.energy.value * 1e-3) + " kJ"; }},
      {"money per step", [](const auto& s) { return s.cost.value; },
       [](const auto& s) { return short_number(s.cost.value) + " $"; }},
      {"money per 1e12 tokens", [](const auto& s) { return s.cost_per_trillion_tokens.value; },
       [](const auto& s) { return short_number(s.cost_per_trillion_tokens.value) + " $"; }},
  };
}

// The formulas, and how FLOPs were counted (once when all plans agree).
std::string formulas(std::span<const Named<StepSummary>> plans) {
  if (!knows_peak(plans)) return "";
  std::string text =
      "MFU = model FLOPs / (step time x GPUs x peak); HFU counts recomputed FLOPs too\n";
  const std::string& first = plans.front().value.convention;
  const bool agree = std::all_of(plans.begin(), plans.end(),
                                 [&](const auto& plan) { return plan.value.convention == first; });
  if (agree) {
    if (!first.empty()) text += "FLOPs: " + first + "\n";
  } else {
    for (const auto& plan : plans)
      text += "FLOPs of " + plan.name + ": " + plan.value.convention + "\n";
  }
  const bool knows_power = std::any_of(plans.begin(), plans.end(),
                                       [](const auto& plan) { return plan.value.power > Watts{}; });
  if (knows_power)
    text +=
        "GPU power = idle + (full - idle) x share of the step spent computing; hosts and "
        "network constant\n";
  return text;
}

}  // namespace

StepSummary step_summary(const RankBreakdown& mean, const StepNumbers& numbers) {
  StepSummary summary;
  summary.step = seconds(mean.step);
  summary.convention = numbers.convention;
  const double step = summary.step.value;
  const double possible = step * numbers.gpus * numbers.peak.value;
  const double tokens = static_cast<double>(numbers.tokens);
  summary.mfu = ratio(numbers.model_flops.value, possible);
  summary.hfu = ratio(numbers.hardware_flops.value, possible);
  summary.tokens_per_second = ratio(tokens, step);
  summary.tokens_per_second_per_gpu = ratio(tokens, step * numbers.gpus);
  summary.compute_share = ratio(seconds(mean.compute).value, step);
  summary.power = mean_power(numbers, summary.compute_share);
  summary.energy = summary.power * summary.step;
  summary.cost = numbers.gpus * (numbers.price * summary.step);
  summary.cost_per_trillion_tokens = {ratio(summary.cost.value * 1e12, tokens)};
  return summary;
}

StepSummary step_summary(const Timeline& timeline, const StepNumbers& numbers) {
  return step_summary(mean(breakdowns(timeline)), numbers);
}

std::string summary_table(std::span<const Named<StepSummary>> plans) {
  if (plans.empty()) return {};
  TextRow header{""};
  for (const auto& plan : plans) header.push_back(plan.name);
  std::vector<TextRow> table{header};
  for (const SummaryRow& row : summary_rows(knows_peak(plans))) {
    TextRow line{std::string(row.name)};
    const bool known = std::any_of(plans.begin(), plans.end(), [&row](const auto& plan) {
      return row.value(plan.value) > 0.0;
    });
    if (!known) continue;
    for (const auto& plan : plans)
      line.push_back(row.value(plan.value) > 0.0 ? row.text(plan.value) : "not known");
    table.push_back(line);
  }
  return aligned(table) + formulas(plans);
}

std::string summary_formulas(std::span<const Named<StepSummary>> plans) {
  return plans.empty() ? "" : formulas(plans);
}

std::string summary_json(std::span<const Named<StepSummary>> plans) {
  JsonValue json{{"schema_version", 1}};
  json["plans"] = JsonValue::array();
  for (const auto& [name, summary] : plans)
    json["plans"].push_back({{"name", name},
                             {"step_s", summary.step.value},
                             {"mfu", summary.mfu},
                             {"hfu", summary.hfu},
                             {"convention", summary.convention},
                             {"tokens_per_s", summary.tokens_per_second},
                             {"tokens_per_s_per_gpu", summary.tokens_per_second_per_gpu},
                             {"compute_share", summary.compute_share},
                             {"power_w", summary.power.value},
                             {"energy_per_step_j", summary.energy.value},
                             {"cost_per_step_usd", summary.cost.value},
                             {"cost_per_1e12_tokens_usd", summary.cost_per_trillion_tokens.value}});
  return json.dump(2) + "\n";
}

}  // namespace quintet
