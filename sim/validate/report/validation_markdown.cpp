#include <algorithm>

#include "sim/base/text_table.h"
#include "sim/validate/report/fit_report.h"
#include "sim/validate/report/validation_report.h"

namespace quintet {

namespace {

std::string percent(double share) {
  return fixed(100 * share, 1);
}

// A cell may not hold the sign that ends it.
std::string safe(std::string text) {
  std::replace(text.begin(), text.end(), '|', '/');
  return text;
}

std::string line_of(const TextRow& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + safe(cell) + " |";
  return line + "\n";
}

std::string rule(std::size_t columns) {
  std::string line = "| --- |";
  for (std::size_t i = 1; i < columns; ++i) line += " --: |";
  return line + "\n";
}

std::string table(const std::vector<TextRow>& rows) {
  std::string text = line_of(rows.front()) + rule(rows.front().size());
  for (std::size_t i = 1; i < rows.size(); ++i) text += line_of(rows[i]);
  return text;
}

std::string ratio_text(const std::optional<CrossValidated>& made) {
  if (!made) return "";
  if (made->parameters == 0) return percent(made->left_out);
  const std::string left_out = percent(made->left_out);
  return made->in_sample > 0 ? left_out + " (" + fixed(made->left_out / made->in_sample, 2) + "x)"
                             : left_out;
}

std::string memory_text(const SourceSummary& line) {
  std::string text;
  if (count(line.verdicts) > 0)
    text = percent(share_right(line.verdicts)) + " of " + std::to_string(count(line.verdicts));
  return text;
}

TextRow row_of(const SourceSummary& line) {
  const ErrorSummary& time = line.time;
  const bool timed = time.count > 0;
  return {line.title(),
          std::to_string(line.rows),
          std::to_string(line.expressed),
          std::to_string(time.count),
          timed ? percent(time.mean) : "",
          timed ? percent(time.median) : "",
          timed ? percent(time.p90) : "",
          timed ? signed_fixed(100 * time.bias, 1) : "",
          line.tau ? fixed(*line.tau, 2) : "",
          line.regret ? fixed(100 * (*line.regret - 1), 1) : "",
          memory_text(line),
          line.memory.count > 0 ? percent(line.memory.mean) : "",
          std::to_string(line.free_parameters) + " / " + std::to_string(line.chosen_here),
          ratio_text(line.cross_validated)};
}

}  // namespace

std::string validation_markdown(const std::vector<SourceSummary>& summary,
                                const std::vector<ShelfParameter>& free) {
  std::vector<TextRow> rows{{"source, stack", "rows", "expressed", "timed", "MAPE %", "median",
                             "p90", "bias", "tau", "regret %", "memory right %", "peak MAPE %",
                             "free / here", "cross-validated %"}};
  for (const SourceSummary& line : summary) rows.push_back(row_of(line));
  std::vector<TextRow> parameters{
      {"free parameter", "ships", "plausible", "judged by", "chosen on", "what it is"}};
  for (const ShelfParameter& each : free) {
    const FreeParameter& parameter = each.parameter;
    std::string sources;
    for (const std::string& source : parameter.chosen_on)
      sources += (sources.empty() ? "" : ", ") + source;
    parameters.push_back({name_of(each), plain(parameter.value), text(parameter.range),
                          parameter.judged_by == JudgedBy::step_time ? "time" : "memory", sources,
                          parameter.meaning});
  }
  return table(rows) + "\n" + table(parameters);
}

Result<std::string> with_scoreboard(const std::string& page, const std::string& where,
                                    const std::string& scoreboard) {
  const std::size_t begin = page.find(scoreboard_begin);
  const std::size_t end = page.find(scoreboard_end);
  if (begin == std::string::npos || end == std::string::npos || end < begin)
    return Error{where, "expected the lines " + std::string(scoreboard_begin) + " and " +
                            scoreboard_end + ", between which the scoreboard goes"};
  const std::size_t from = begin + std::string(scoreboard_begin).size();
  return page.substr(0, from) + "\n\n" + scoreboard + "\n" + page.substr(end);
}

}  // namespace quintet
