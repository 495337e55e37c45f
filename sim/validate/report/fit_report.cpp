#include "sim/validate/report/fit_report.h"

#include <fmt/format.h>

#include "sim/base/text_table.h"
#include "sim/json/json_value.h"

namespace quintet {

namespace {

using Json = JsonValue;

std::string_view name_of(JudgedBy judge) {
  return judge == JudgedBy::step_time ? "step_time" : "memory";
}

std::string heading(const Fit& fit) {
  const char* const what =
      fit.judged_by == JudgedBy::step_time ? "step times" : "memory verdicts and peaks";
  if (fit.models.empty()) return fmt::format("{} of {} rows of one model", what, fit.rows);
  return fmt::format("{} of {} rows, {} models", what, fit.rows, fit.models.size());
}

std::string spread(const FittedParameter& parameter) {
  if (std::holds_alternative<Choices>(parameter.shipped.parameter.range))
    return percent(parameter.agreement) + " choose it";
  return plain(parameter.low) + " to " + plain(parameter.high);
}

std::string parameter_table(const Fit& fit) {
  std::vector<TextRow> rows{{"parameter", "ships", "estimate", "90 % of resamplings", "plausible"}};
  for (const FittedParameter& parameter : fit.parameters)
    rows.push_back({name_of(parameter.shipped), plain(parameter.shipped.parameter.value),
                    plain(parameter.estimate), spread(parameter),
                    text(parameter.shipped.parameter.range)});
  return aligned(rows);
}

TextRow error_row(const std::string& name, const FitErrors& errors, JudgedBy judge) {
  if (judge == JudgedBy::step_time)
    return {name, hundredths(errors.time.mean), hundredths(errors.time.median),
            hundredths(errors.time.p90), signed_fixed(100 * errors.time.bias, 1)};
  const bool peaks = errors.memory.count > 0;
  return {name, fmt::format("{} of {}", errors.wrong_verdicts, errors.verdicts),
          peaks ? hundredths(errors.memory.mean) : "-"};
}

std::string error_table(const Fit& fit) {
  const bool time = fit.judged_by == JudgedBy::step_time;
  std::vector<TextRow> rows{time ? TextRow{"error, %", "MAPE", "median", "p90", "bias"}
                                 : TextRow{"error", "wrong verdicts", "MAPE of peaks, %"}};
  rows.push_back(error_row("as shipped", fit.shipped, fit.judged_by));
  rows.push_back(error_row("estimated on all rows", fit.fitted, fit.judged_by));
  if (!fit.models.empty())
    rows.push_back(error_row("each model by the others", fit.left_out, fit.judged_by));
  const auto ratio = cross_validation_ratio(fit);
  return aligned(rows) +
         (ratio ? "left out over estimated: " + fixed(*ratio, 2) + "\n" : std::string());
}

std::string shown_error(const FitErrors& errors, JudgedBy judge) {
  return hundredths(error_of(errors, judge));
}

std::string model_table(const Fit& fit) {
  if (fit.models.empty()) return {};
  std::vector<TextRow> rows{{"left out", "rows", "error with it, %", "without it, %"}};
  for (const FittedParameter& parameter : fit.parameters)
    rows.front().push_back(parameter.shipped.parameter.path);
  for (const ModelLeftOut& model : fit.models) {
    rows.push_back({model.model, fmt::to_string(model.rows), shown_error(model.with, fit.judged_by),
                    shown_error(model.without, fit.judged_by)});
    for (const std::string& estimate : model.estimates) rows.back().push_back(plain(estimate));
  }
  return "\n" + aligned(rows);
}

Json json_of(const FitErrors& errors) {
  return {{"mape", errors.time.mean},
          {"median", errors.time.median},
          {"p90", errors.time.p90},
          {"bias", errors.time.bias},
          {"peak_memory_mape", errors.memory.mean},
          {"memory_verdicts", errors.verdicts},
          {"wrong_memory_verdicts", errors.wrong_verdicts}};
}

Json json_of(const FittedParameter& parameter) {
  const FreeParameter& shipped = parameter.shipped.parameter;
  Json json{{"parameter", shipped.path},     {"of", parameter.shipped.owner},
            {"meaning", shipped.meaning},    {"plausible", text(shipped.range)},
            {"ships", plain(shipped.value)}, {"estimate", plain(parameter.estimate)},
            {"low", plain(parameter.low)},   {"high", plain(parameter.high)},
            {"source", shipped.source},      {"chosen_on", shipped.chosen_on}};
  if (std::holds_alternative<Choices>(shipped.range)) json["agreement"] = parameter.agreement;
  return json;
}

Json json_of(const ModelLeftOut& model) {
  Json estimates = Json::array();
  for (const std::string& estimate : model.estimates) estimates.push_back(plain(estimate));
  return {{"model", model.model},
          {"rows", model.rows},
          {"with", json_of(model.with)},
          {"without", json_of(model.without)},
          {"estimates", estimates}};
}

Json json_of(const Fit& fit) {
  Json parameters = Json::array(), models = Json::array();
  for (const FittedParameter& parameter : fit.parameters) parameters.push_back(json_of(parameter));
  for (const ModelLeftOut& model : fit.models) models.push_back(json_of(model));
  Json errors{{"shipped", json_of(fit.shipped)},
              {"fitted", json_of(fit.fitted)},
              {"left_out", fit.models.empty() ? Json(nullptr) : json_of(fit.left_out)}};
  const auto ratio = cross_validation_ratio(fit);
  return {{"judged_by", name_of(fit.judged_by)},
          {"rows", fit.rows},
          {"parameters", parameters},
          {"errors", errors},
          {"ratio", ratio ? Json(*ratio) : Json(nullptr)},
          {"models", models}};
}

}  // namespace

std::string name_of(const ShelfParameter& parameter) {
  return parameter.parameter.path + " of " + parameter.owner;
}

std::string fit_text(const std::string& stack, const std::vector<Fit>& fits) {
  if (fits.empty()) return stack + " has no free parameters that these rows could decide.\n";
  std::string all;
  for (const Fit& fit : fits)
    all += (all.empty() ? "" : "\n") + stack + ": " + heading(fit) + "\n\n" + parameter_table(fit) +
           "\n" + error_table(fit) + model_table(fit);
  return all;
}

std::string fit_json(const std::string& stack, const std::vector<Fit>& fits) {
  Json all = Json::array();
  for (const Fit& fit : fits) all.push_back(json_of(fit));
  const Json json{{"schema_version", 1}, {"stack", stack}, {"fits", all}};
  return json.dump(1) + "\n";
}

std::string cross_validation_text(const std::vector<SourceSummary>& summary) {
  std::vector<TextRow> rows{{"cross-validated", "models", "free", "chosen here", "judged by",
                             "error, %", "left out, %", "ratio"}};
  const auto add = [&](const SourceSummary& line, const char* judge,
                       const std::optional<CrossValidated>& made) {
    if (!made) return;
    const double inside = made->in_sample;
    rows.push_back({line.source + ", " + line.stack, fmt::to_string(line.models),
                    fmt::to_string(line.free_parameters), fmt::to_string(made->parameters), judge,
                    hundredths(inside), hundredths(made->left_out),
                    inside > 0 ? fixed(made->left_out / inside, 2) : "-"});
  };
  for (const SourceSummary& line : summary) {
    add(line, "time", line.cross_validated);
    add(line, "memory", line.memory_cross_validated);
  }
  return aligned(rows);
}

}  // namespace quintet
