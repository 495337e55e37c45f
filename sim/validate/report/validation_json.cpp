#include "sim/json/json_value.h"
#include "sim/validate/report/validation_report.h"

namespace quintet {

namespace {

using Json = JsonValue;

Json json_of(const RowVerdict& verdict) {
  Json json{{"id", verdict.row.id},    {"predicted_step_time_s", nullptr},
            {"fits", nullptr},         {"peak_mem_gib", nullptr},
            {"reason", nullptr},       {"measured_step_time_s", nullptr},
            {"stack", verdict.stack},  {"remarks", verdict.remarks},
            {"file", verdict.row.file}};
  if (const auto measured = measured_step(verdict.row)) json["measured_step_time_s"] = *measured;
  if (!verdict.prediction) {
    json["reason"] = verdict.reason;
    return json;
  }
  const StepPrediction& prediction = *verdict.prediction;
  json["predicted_step_time_s"] = prediction.step.value;
  json["fits"] = prediction.fits;
  json["peak_mem_gib"] = total(prediction.fullest).value / 1'073'741'824.0;
  return json;
}

Json json_of(const ErrorSummary& errors) {
  return {{"count", errors.count}, {"mape", errors.mean},   {"median", errors.median},
          {"p90", errors.p90},     {"max", errors.largest}, {"bias", errors.bias}};
}

Json json_of(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// Of the sheets whose pick ran.
std::optional<double> regret_of(const SourceSummary& line, double value) {
  return line.regrets.sheets > line.regrets.failed ? std::optional(value) : std::nullopt;
}

Json json_of(const std::optional<CrossValidated>& made) {
  if (!made) return nullptr;
  return {
      {"error", made->in_sample}, {"left_out", made->left_out}, {"parameters", made->parameters}};
}

Json json_of(const SourceSummary& line) {
  return {{"source", line.source},
          {"stack", line.stack},
          {"rows", line.rows},
          {"expressed", line.expressed},
          {"models", line.models},
          {"free_parameters", line.free_parameters},
          {"chosen_here", line.chosen_here},
          {"cross_validated", json_of(line.cross_validated)},
          {"memory_cross_validated", json_of(line.memory_cross_validated)},
          {"time", json_of(line.time)},
          {"peak_memory", json_of(line.memory)},
          {"kendall_tau", json_of(line.tau)},
          {"kendall_tau_groups", line.tau_groups},
          {"sheets", line.regrets.sheets},
          {"failed_picks", line.regrets.failed},
          {"mean_regret", json_of(regret_of(line, line.regrets.mean))},
          {"largest_regret", json_of(regret_of(line, line.regrets.largest))},
          {"memory_verdicts",
           {{"ran_and_fits", line.verdicts.ran_and_fits},
            {"ran_but_does_not_fit", line.verdicts.ran_but_does_not_fit},
            {"failed_and_does_not_fit", line.verdicts.failed_and_does_not_fit},
            {"failed_but_fits", line.verdicts.failed_but_fits}}}};
}

}  // namespace

std::string validation_json(const std::vector<RowVerdict>& verdicts,
                            const std::vector<SourceSummary>& summary) {
  Json rows = Json::array(), lines = Json::array();
  for (const RowVerdict& verdict : verdicts) rows.push_back(json_of(verdict));
  for (const SourceSummary& line : summary) lines.push_back(json_of(line));
  const Json all{{"schema_version", 1}, {"rows", rows}, {"summary", lines}};
  return all.dump(1) + "\n";
}

}  // namespace quintet
