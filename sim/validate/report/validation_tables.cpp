#include "sim/validate/report/validation_tables.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "sim/validate/report/fit_report.h"
#include "sim/validate/report/validation_report.h"

namespace quintet {

namespace {

using Summary = SourceSummary;

// What a table says of a line, and how the column is called on the terminal, on the page and on the
// scoreboard; absent where it is left out. No cell: not known.
using Cell = std::optional<std::string>;
constexpr const char* absent = nullptr;
template <class Line>
struct Column {
  std::array<const char*, 3> names;
  Cell (*cell)(const Line&);
};

Cell cell(int number) {
  return fmt::to_string(number);
}

Cell cell(const std::optional<double>& number, int decimals) {
  return number ? Cell(fixed(*number, decimals)) : std::nullopt;
}

// In %, of errors whose number is known.
Cell cell(const ErrorSummary& errors, double of_them) {
  return errors.count > 0 ? Cell(hundredths(of_them)) : std::nullopt;
}

Cell bias_cell(const ErrorSummary& errors) {
  return errors.count > 0 ? Cell(signed_fixed(100 * errors.bias, 1)) : std::nullopt;
}

// Mean and largest; failures are named, since no mean has them.
Cell regret_cell(const Summary& line) {
  const Regrets& all = line.regrets;
  if (all.sheets == 0) return std::nullopt;
  const std::string failed = all.failed > 0 ? fmt::format("{} failed", all.failed) : "";
  if (all.failed == all.sheets) return failed;
  return fmt::format("{}, {}{}{}", hundredths(all.mean), hundredths(all.largest),
                     failed.empty() ? "" : "; ", failed);
}

Cell verdicts_cell(const Summary& line) {
  const int all = count(line.verdicts);
  if (all == 0) return std::nullopt;
  return fmt::format("{} of {}", hundredths(share_right(line.verdicts)), all);
}

Cell cross_validated_cell(const std::optional<CrossValidated>& made) {
  if (!made) return std::nullopt;
  const std::string left_out = hundredths(made->left_out);
  if (made->parameters == 0 || made->in_sample <= 0) return left_out;
  return fmt::format("{} ({}x)", left_out, fixed(made->left_out / made->in_sample, 2));
}

Cell listed(const std::vector<std::string>& words, const char* between) {
  return fmt::format("{}", fmt::join(words, between));
}

const Column<Summary> time_columns[] = {
    {{"step time, %", "source, stack", "source, stack"},
     [](const Summary& s) -> Cell { return s.title(); }},
    {{"rows", "rows", "rows"}, [](const Summary& s) { return cell(s.rows); }},
    {{"expressed", "expressed", "expressed"}, [](const Summary& s) { return cell(s.expressed); }},
    {{"timed", "timed", "timed"}, [](const Summary& s) { return cell(s.time.count); }},
    {{"MAPE", "MAPE %", "MAPE %"}, [](const Summary& s) { return cell(s.time, s.time.mean); }},
    {{"median", "median %", "median"},
     [](const Summary& s) { return cell(s.time, s.time.median); }},
    {{"p90", "p90 %", "p90"}, [](const Summary& s) { return cell(s.time, s.time.p90); }},
    {{"max", "max %", absent}, [](const Summary& s) { return cell(s.time, s.time.largest); }},
    {{"bias", "bias %", "bias"}, [](const Summary& s) { return bias_cell(s.time); }},
    {{"tau", "Kendall tau", "tau"}, [](const Summary& s) { return cell(s.tau, 2); }},
    {{"sheets", "sheets", "sheets"},
     [](const Summary& s) -> Cell {
       return s.regrets.sheets > 0 ? Cell(fmt::to_string(s.regrets.sheets)) : std::nullopt;
     }},
    {{"regret, max", "regret, max %", "regret, max %"}, regret_cell},
    {{absent, absent, "memory right %"}, verdicts_cell},
    {{absent, absent, "peak MAPE %"},
     [](const Summary& s) { return cell(s.memory, s.memory.mean); }},
    {{absent, absent, "free / here"},
     [](const Summary& s) -> Cell {
       return fmt::format("{} / {}", s.free_parameters, s.chosen_here);
     }},
    {{"free", "free", absent}, [](const Summary& s) { return cell(s.free_parameters); }},
    {{"here", "chosen here", absent}, [](const Summary& s) { return cell(s.chosen_here); }},
    {{absent, "cross-validated %", "cross-validated %"},
     [](const Summary& s) { return cross_validated_cell(s.cross_validated); }},
};

const Column<Summary> memory_columns[] = {
    {{"memory", "source, stack", absent}, [](const Summary& s) -> Cell { return s.title(); }},
    {{"ran, fits", "ran, predicted to fit", absent},
     [](const Summary& s) { return cell(s.verdicts.ran_and_fits); }},
    {{"ran, not", "ran, predicted not to", absent},
     [](const Summary& s) { return cell(s.verdicts.ran_but_does_not_fit); }},
    {{"oom, not", "out of memory, predicted so", absent},
     [](const Summary& s) { return cell(s.verdicts.failed_and_does_not_fit); }},
    {{"oom, fits", "out of memory, predicted to fit", absent},
     [](const Summary& s) { return cell(s.verdicts.failed_but_fits); }},
    {{"right, %", "right %", absent},
     [](const Summary& s) -> Cell { return hundredths(share_right(s.verdicts)); }},
    {{"peak known", "peaks known", absent}, [](const Summary& s) { return cell(s.memory.count); }},
    {{"MAPE", "MAPE of peaks %", absent},
     [](const Summary& s) { return cell(s.memory, s.memory.mean); }},
    {{"max", absent, absent}, [](const Summary& s) { return cell(s.memory, s.memory.largest); }},
    {{"bias", absent, absent}, [](const Summary& s) { return bias_cell(s.memory); }},
};

using Row = RowVerdict;
const Column<Row> worst_columns[] = {
    {{"worst rows", "row", absent},
     [](const Row& v) -> Cell { return v.row.id + " " + v.row.model; }},
    {{absent, "stack", absent}, [](const Row& v) -> Cell { return v.stack; }},
    {{"measured, s", "measured, s", absent},
     [](const Row& v) { return cell(time_pair(v)->measured, 4); }},
    {{"predicted, s", "predicted, s", absent},
     [](const Row& v) { return cell(time_pair(v)->predicted, 4); }},
    {{"off, %", "off %", absent},
     [](const Row& v) -> Cell { return signed_fixed(100 * relative_error(*time_pair(v)), 1); }},
    {{absent, "predicted against measured", absent}, [](const Row&) -> Cell { return ""; }},
    {{"of the step", "of the predicted step", absent},
     [](const Row& v) -> Cell { return breakdown_text(*v.prediction); }},
    {{absent, "assumed, for the row does not say", absent},
     [](const Row& v) { return listed(v.remarks, "; "); }},
};

using Parameter = ShelfParameter;
const Column<Parameter> parameter_columns[] = {
    {{absent, absent, "free parameter"}, [](const Parameter& p) -> Cell { return name_of(p); }},
    {{absent, absent, "ships"},
     [](const Parameter& p) -> Cell { return plain(p.parameter.value); }},
    {{absent, absent, "plausible"},
     [](const Parameter& p) -> Cell { return text(p.parameter.range); }},
    {{absent, absent, "judged by"},
     [](const Parameter& p) -> Cell {
       return p.parameter.judged_by == JudgedBy::step_time ? "time" : "memory";
     }},
    {{absent, absent, "chosen on"},
     [](const Parameter& p) { return listed(p.parameter.chosen_on, ", "); }},
    {{absent, absent, "what it is"},
     [](const Parameter& p) -> Cell { return p.parameter.meaning; }},
};

template <class Line>
std::vector<const Line*> every(const std::vector<Line>& lines) {
  std::vector<const Line*> all;
  for (const Line& line : lines) all.push_back(&line);
  return all;
}

template <class Line, std::size_t count>
std::vector<TextRow> table(const Column<Line> (&columns)[count],
                           const std::vector<const Line*>& lines, Shown shown) {
  const std::string unknown = shown == Shown::scoreboard ? "" : "-";
  std::vector<TextRow> rows(lines.size() + 1);
  for (const Column<Line>& column : columns) {
    const char* const name = column.names[static_cast<std::size_t>(shown)];
    if (name == absent) continue;
    rows.front().push_back(name);
    for (std::size_t line = 0; line < lines.size(); ++line)
      rows[line + 1].push_back(column.cell(*lines[line]).value_or(unknown));
  }
  return rows;
}

}  // namespace

std::vector<TextRow> time_table(const std::vector<SourceSummary>& summary, Shown shown) {
  return table(time_columns, every(summary), shown);
}

// Only of lines whose rows say whether they fitted.
std::vector<TextRow> memory_table(const std::vector<SourceSummary>& summary, Shown shown) {
  std::vector<const SourceSummary*> lines = every(summary);
  std::erase_if(lines, [](const SourceSummary* line) { return count(line->verdicts) == 0; });
  return table(memory_columns, lines, shown);
}

std::vector<TextRow> reasons_table(const std::vector<RowVerdict>& verdicts, Shown shown) {
  std::vector<TextRow> rows{{shown == Shown::page ? "why" : "not expressed", "rows"}};
  for (const auto& [reason, number] : reasons_of(verdicts))
    rows.push_back({reason, fmt::to_string(number)});
  return rows;
}

std::vector<TextRow> parameter_table(const std::vector<ShelfParameter>& parameters) {
  return table(parameter_columns, every(parameters), Shown::scoreboard);
}

std::vector<TextRow> worst_table(const std::vector<const RowVerdict*>& rows, Shown shown) {
  return table(worst_columns, rows, shown);
}

}  // namespace quintet
