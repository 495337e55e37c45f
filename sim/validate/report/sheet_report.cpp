#include "sim/validate/report/sheet_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/base/report.h"
#include "sim/json/json_value.h"

namespace quintet {

namespace {

using Json = JsonValue;

constexpr double gibibyte = 1'073'741'824.0;

std::string title(const Sheet& sheet) {
  return fmt::format("{}, {} {}, {} tokens, {}", sheet.model, sheet.gpus, sheet.gpu, sheet.sequence,
                     sheet.precision);
}

std::string measured_cell(const RowVerdict& verdict) {
  const auto measured = measured_step(verdict.row);
  return measured ? fixed(*measured, 2) : "out of memory";
}

TextRow line_of(const Sheet& sheet) {
  TextRow line{title(sheet), fmt::format("{} of {}", sheet.admitted, sheet.candidates)};
  if (!sheet.picked) {
    line.insert(line.end(), {"none is predicted to fit", "-", "-"});
  } else {
    const RowVerdict& picked = *sheet.picked;
    line.insert(line.end(), {picked.row.id + ": " + plan_text(picked.row),
                             fixed(picked.prediction->step.value, 2), measured_cell(picked)});
  }
  const auto regret = sheet.regret();
  line.insert(line.end(), {sheet.best->row.id + ": " + plan_text(sheet.best->row),
                           fixed(sheet.best->prediction->step.value, 2), measured_cell(*sheet.best),
                           regret ? hundredths(*regret) : "failed"});
  return line;
}

// Failures cost most.
std::vector<Sheet> sorted(std::vector<Sheet> sheets) {
  std::stable_sort(sheets.begin(), sheets.end(), [](const Sheet& left, const Sheet& right) {
    const auto cost = [](const Sheet& sheet) { return sheet.regret().value_or(1e9); };
    return cost(left) > cost(right);
  });
  return sheets;
}

std::vector<TextRow> source_table(const std::vector<Sheet>& sheets) {
  std::vector<std::pair<std::string, std::vector<Sheet>>> parts;
  for (const Sheet& sheet : sheets) {
    const std::string name = sheet.source + ", " + sheet.stack;
    if (parts.empty() || parts.back().first != name) parts.push_back({name, {}});
    parts.back().second.push_back(sheet);
  }
  std::vector<TextRow> rows{{"regret, %", "sheets", "mean", "max", "failed"}};
  for (const auto& [name, members] : parts) {
    const Regrets all = regrets_of(members);
    rows.push_back({name, fmt::to_string(all.sheets), hundredths(all.mean), hundredths(all.largest),
                    fmt::to_string(all.failed)});
  }
  return rows;
}

Json json_of(const RowVerdict* verdict) {
  if (!verdict) return nullptr;
  Json json{{"id", verdict->row.id},
            {"plan", plan_text(verdict->row)},
            {"predicted_step_time_s", verdict->prediction->step.value},
            {"measured_step_time_s", nullptr},
            {"peak_mem_gib", total(verdict->prediction->fullest).value / gibibyte}};
  if (const auto measured = measured_step(verdict->row)) json["measured_step_time_s"] = *measured;
  return json;
}

Json json_of(const Sheet& sheet) {
  const auto regret = sheet.regret();
  return {{"source", sheet.source},
          {"stack", sheet.stack},
          {"model", sheet.model},
          {"gpu", sheet.gpu},
          {"precision", sheet.precision},
          {"gpus", sheet.gpus},
          {"sequence_length", sheet.sequence},
          {"candidates", sheet.candidates},
          {"admitted", sheet.admitted},
          {"picked", json_of(sheet.picked)},
          {"best", json_of(sheet.best)},
          {"regret", regret ? Json(*regret) : Json(nullptr)}};
}

}  // namespace

// Without what stands in brackets.
std::string plan_text(const PublishedRow& row) {
  std::string text;
  const auto add = [&](const std::string& part) {
    text += (text.empty() ? "" : ", ") + part.substr(0, part.find(" ("));
  };
  const auto number = [&](const char* name, const std::optional<int>& value) {
    if (value) add(fmt::format("{} {}", name, *value));
  };
  number("tp", row.tp);
  number("pp", row.pp);
  if (!row.vpp.empty() && row.vpp != "1") add("vpp " + row.vpp);
  number("micro-batch", row.mbs);
  number("batch", row.gbs);
  if (row.seq_parallel == "true") add("sequence parallel");
  if (!row.recompute.empty() && !row.recompute.starts_with("none"))
    add("recompute " + row.recompute);
  if (!row.sharding.empty() && !row.sharding.starts_with("none")) add(row.sharding);
  if (!row.attention.empty()) add(row.attention);
  return text;
}

std::vector<TextRow> sheet_table(const std::vector<Sheet>& sheets) {
  std::vector<TextRow> rows{{"sheet", "fit", "picked", "predicted, s", "measured, s",
                             "measured best", "predicted, s", "measured, s", "regret, %"}};
  for (const Sheet& sheet : sorted(sheets)) rows.push_back(line_of(sheet));
  return rows;
}

std::string sheet_text(const std::vector<Sheet>& sheets) {
  if (sheets.empty())
    return "No sheet: two predicted rows of one model, length, precision and number of GPUs, of "
           "which one ran, make one.\n";
  return report_text(
      {{"", {}, sheet_table(sheets)},
       {"",
        {"fit: rows that are predicted to fit, of all that ran or ran out of memory; the fastest "
         "of these per sequence is picked",
         "regret: measured time per sequence of the picked row / that of the measured best - 1; "
         "failed: the picked one ran out of memory, or none was predicted to fit"}},
       {"", {}, source_table(sheets)}});
}

std::string sheet_json(const std::vector<Sheet>& sheets) {
  Json all = Json::array();
  for (const Sheet& sheet : sheets) all.push_back(json_of(sheet));
  return Json{{"schema_version", 1}, {"sheets", all}}.dump(1) + "\n";
}

}  // namespace quintet
