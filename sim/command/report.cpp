#include "sim/command/report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sim/timeline/breakdown_report.h"

namespace quintet {

namespace {

std::vector<Named<RankBreakdown>> named_breakdowns(const ReportInput& input) {
  std::vector<Named<RankBreakdown>> named;
  for (const NamedPrediction& plan : input.plans)
    named.push_back({plan.name, plan.prediction.mean});
  return named;
}

std::vector<Named<StepSummary>> named_summaries(const ReportInput& input) {
  std::vector<Named<StepSummary>> named;
  for (const NamedPrediction& plan : input.plans)
    named.push_back({plan.name, plan.prediction.summary});
  return named;
}

std::string memory_lines(const NamedPrediction& plan) {
  if (plan.prediction.memory.capacity.value <= 0) return "";
  return fmt::format("Memory, {}: {}\n{}\n", plan.name, verdict_text(plan.prediction.memory),
                     memory_table(plan.prediction.memory));
}

}  // namespace

std::string report_text(const ReportInput& input) {
  std::string text = fmt::format("Model     {}\nMachine   {}\nCosts     {}\n\n", input.model,
                                 input.topology, input.costs);
  text += summary_table(named_summaries(input)) + "\n";
  text += "Where the time of a step goes, mean over ranks (parts sum to the step):\n";
  text += breakdown_table(named_breakdowns(input)) + "\n";
  for (const NamedPrediction& plan : input.plans) text += memory_lines(plan);
  return text;
}

std::string report_json(const ReportInput& input) {
  nlohmann::ordered_json report;
  report["schema_version"] = 1;
  report["model"] = input.model;
  report["topology"] = input.topology;
  report["costs"] = input.costs;
  report["summary"] = nlohmann::ordered_json::parse(summary_json(named_summaries(input)))["plans"];
  report["breakdown"] =
      nlohmann::ordered_json::parse(breakdown_json(named_breakdowns(input)))["plans"];
  for (const NamedPrediction& plan : input.plans) {
    nlohmann::ordered_json memory = {{"name", plan.name}};
    memory.update(nlohmann::ordered_json::parse(memory_json(plan.prediction.memory)));
    report["memory"].push_back(std::move(memory));
  }
  return report.dump(2) + "\n";
}

}  // namespace quintet
