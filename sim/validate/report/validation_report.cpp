#include "sim/validate/report/validation_report.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "sim/base/text_table.h"

namespace quintet {

namespace {

using Json = nlohmann::ordered_json;

std::string percent(double share) {
  return fixed(100 * share, 1);
}

std::string percent_of(bool known, double share) {
  return known ? percent(share) : "-";
}

TextRow row_of(const SourceSummary& line) {
  const ErrorSummary& time = line.time;
  const bool timed = time.count > 0;
  return {line.title(),
          std::to_string(line.rows),
          std::to_string(line.expressed),
          std::to_string(time.count),
          percent_of(timed, time.mean),
          percent_of(timed, time.median),
          percent_of(timed, time.p90),
          percent_of(timed, time.largest),
          timed ? signed_fixed(100 * time.bias, 1) : "-",
          line.tau ? fixed(*line.tau, 2) : "-",
          line.regret ? fixed(*line.regret, 3) : "-",
          std::to_string(line.free_parameters),
          std::to_string(line.chosen_here)};
}

std::string time_table(const std::vector<SourceSummary>& summary) {
  std::vector<TextRow> rows{{"step time, %", "rows", "expressed", "timed", "MAPE", "median", "p90",
                             "max", "bias", "tau", "regret", "free", "here"}};
  for (const SourceSummary& line : summary) rows.push_back(row_of(line));
  return aligned(rows);
}

std::string memory_table(const std::vector<SourceSummary>& summary) {
  std::vector<TextRow> rows{{"memory", "ran, fits", "ran, not", "oom, not", "oom, fits", "right, %",
                             "peak known", "MAPE", "max", "bias"}};
  for (const SourceSummary& line : summary) {
    if (count(line.verdicts) == 0) continue;
    const bool known = line.memory.count > 0;
    rows.push_back({line.title(), std::to_string(line.verdicts.ran_and_fits),
                    std::to_string(line.verdicts.ran_but_does_not_fit),
                    std::to_string(line.verdicts.failed_and_does_not_fit),
                    std::to_string(line.verdicts.failed_but_fits),
                    percent(share_right(line.verdicts)), std::to_string(line.memory.count),
                    percent_of(known, line.memory.mean), percent_of(known, line.memory.largest),
                    known ? signed_fixed(100 * line.memory.bias, 1) : "-"});
  }
  return aligned(rows);
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

std::string reasons_table(const std::vector<RowVerdict>& verdicts) {
  const auto reasons = reasons_of(verdicts);
  if (reasons.empty()) return {};
  std::vector<TextRow> rows{{"not expressed", "rows"}};
  for (const auto& [reason, number] : reasons) rows.push_back({reason, std::to_string(number)});
  return "\n" + aligned(rows);
}

std::string worst_table(const std::vector<RowVerdict>& verdicts, int worst) {
  if (worst < 1) return {};
  std::vector<TextRow> rows{{"worst rows", "measured, s", "predicted, s", "off, %", "of the step"}};
  for (const RowVerdict* verdict : worst_rows(verdicts, worst)) {
    const Pair pair = *time_pair(*verdict);
    rows.push_back({verdict->row.id + " " + verdict->row.model, fixed(pair.measured, 4),
                    fixed(pair.predicted, 4), signed_fixed(100 * relative_error(pair), 1),
                    breakdown_text(*verdict->prediction)});
  }
  return "\n" + aligned(rows);
}

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
          {"regret", json_of(line.regret)},
          {"regret_groups", line.regret_groups},
          {"memory_verdicts",
           {{"ran_and_fits", line.verdicts.ran_and_fits},
            {"ran_but_does_not_fit", line.verdicts.ran_but_does_not_fit},
            {"failed_and_does_not_fit", line.verdicts.failed_and_does_not_fit},
            {"failed_but_fits", line.verdicts.failed_but_fits}}}};
}

}  // namespace

std::vector<std::pair<std::string, int>> reasons_of(const std::vector<RowVerdict>& verdicts) {
  std::map<std::string, int> counts;
  for (const RowVerdict& verdict : verdicts)
    if (!verdict.prediction) ++counts[first_line(verdict.reason)];
  std::vector<std::pair<std::string, int>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& left, const auto& right) { return left.second > right.second; });
  return sorted;
}

std::vector<const RowVerdict*> worst_rows(const std::vector<RowVerdict>& verdicts, int most) {
  std::vector<const RowVerdict*> rows;
  for (const RowVerdict& verdict : verdicts)
    if (time_pair(verdict)) rows.push_back(&verdict);
  std::stable_sort(rows.begin(), rows.end(), [](const RowVerdict* left, const RowVerdict* right) {
    return std::abs(relative_error(*time_pair(*left))) >
           std::abs(relative_error(*time_pair(*right)));
  });
  if (rows.size() > static_cast<std::size_t>(most)) rows.resize(static_cast<std::size_t>(most));
  return rows;
}

std::string breakdown_text(const StepPrediction& prediction) {
  const double step = std::max(prediction.step.value, 1e-12);
  std::string text, inner;
  bool inside = false;  // a part whose own parts are shown
  const auto close = [&] {
    if (!inner.empty()) text += " (" + inner + ")";
    inner.clear();
  };
  for (const StepPart& part : prediction.parts) {
    const double share = part.time.value / step;
    const bool shown = share >= 0.005;
    if (part.level == 0) {
      close();
      inside = shown && part.name == "exposed communication";
    }
    std::string& into = part.level == 0 ? text : inner;
    if (!shown || (part.level > 0 && !inside)) continue;
    into += (into.empty() ? "" : ", ") + part.name + " " + fixed(100 * share, 0) + " %";
  }
  close();
  return text;
}

std::string validation_text(const std::vector<RowVerdict>& verdicts,
                            const std::vector<SourceSummary>& summary, int worst) {
  return time_table(summary) + "\n" + memory_table(summary) + reasons_table(verdicts) +
         worst_table(verdicts, worst);
}

std::string validation_json(const std::vector<RowVerdict>& verdicts,
                            const std::vector<SourceSummary>& summary) {
  Json rows = Json::array(), lines = Json::array();
  for (const RowVerdict& verdict : verdicts) rows.push_back(json_of(verdict));
  for (const SourceSummary& line : summary) lines.push_back(json_of(line));
  const Json all{{"schema_version", 1}, {"rows", rows}, {"summary", lines}};
  return all.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace quintet
