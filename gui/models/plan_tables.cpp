#include "gui/models/plan_tables.h"

#include <fmt/format.h>

#include <algorithm>

namespace quintet::gui {

namespace {

QString text(const std::string& words) {
  return QString::fromStdString(words);
}

QString gibibytes(Bytes size) {
  return text(fmt::format("{:.2f}", size.value / 0x1p30));
}

QString milliseconds(Duration time) {
  return text(fmt::format("{:.1f}", static_cast<double>(time.picoseconds) * 1e-9));
}

QString signed_milliseconds(Duration time) {
  return text(fmt::format("{:+.1f}", static_cast<double>(time.picoseconds) * 1e-9));
}

QString share_text(Duration part, Duration whole) {
  if (whole.picoseconds == 0) return "-";
  return text(fmt::format("{:+.1f}", 100.0 * static_cast<double>(part.picoseconds) /
                                         static_cast<double>(whole.picoseconds)));
}

QString step_cell(const std::optional<Seconds>& step) {
  return step ? text(fmt::format("{:.1f}", step->value * 1e3)) : QString("-");
}

TableRow effect_row(const Effect& effect) {
  TableRow row{{effect.what, step_cell(effect.before), step_cell(effect.after)}, 0, false};
  if (effect.before && effect.after) {
    const double difference = effect.after->value - effect.before->value;
    row.cells << text(fmt::format("{:+.1f}", difference * 1e3))
              << text(fmt::format("{:+.1f}", 100.0 * difference / effect.before->value));
  } else {
    row.cells << "-"
              << "-";
  }
  if (effect.memory_before && effect.memory_after)
    row.cells << text(fmt::format(
        "{:+.2f}", (effect.memory_after->value - effect.memory_before->value) / 0x1p30));
  else
    row.cells << "-";
  return row;
}

}  // namespace

TableRows memory_table_of(const std::vector<RankMemory>& stages, Bytes capacity) {
  TableRows table;
  table.header << "stage";
  for (const MemoryPart& part : parts_of(RankMemory{}))
    table.header << text(std::string(part.name));
  table.header << "total"
               << "capacity"
               << "free";
  table.tips << "Of each stage the fullest rank; GiB = 2^30 bytes";
  for (const RankMemory& memory : stages) {
    TableRow row{{QString::number(memory.stage)}, 0, total(memory) > capacity};
    for (const MemoryPart& part : parts_of(memory)) row.cells << gibibytes(part.size);
    row.cells << gibibytes(total(memory)) << gibibytes(capacity)
              << gibibytes(capacity - total(memory));
    table.rows.push_back(std::move(row));
  }
  return table;
}

TableRows difference_table_of(const std::vector<RowDifference>& rows) {
  TableRows table;
  table.header << "part of the step"
               << "before, ms"
               << "now, ms"
               << "difference"
               << "% of step";
  table.tips << "Mean over ranks; rows that are not moved in sum to the step"
             << "At the last prediction before the change" << QString() << QString()
             << "The difference as a share of the step before";
  if (rows.empty()) return table;
  const Duration step = rows.back().before;
  for (const RowDifference& row : rows) {
    const bool is_step = &row == &rows.back();
    if (!is_step && row.before == Duration{} && row.after == Duration{}) continue;
    table.rows.push_back(
        {{text(row.name), milliseconds(row.before), milliseconds(row.after),
          signed_milliseconds(row.difference()), share_text(row.difference(), step)},
         row.level,
         is_step});
  }
  return table;
}

TableRows effects_table_of(const std::vector<Effect>& effects) {
  TableRows table;
  table.header << "change"
               << "before, ms"
               << "after, ms"
               << "difference"
               << "%"
               << "memory, GiB";
  table.tips << "Each change of this session, the newest first" << QString()
             << "-: not predicted, or the plan did not fit" << QString() << QString()
             << "Of the fullest rank";
  for (auto effect = effects.rbegin(); effect != effects.rend(); ++effect)
    table.rows.push_back(effect_row(*effect));
  return table;
}

TableRows problems_table_of(const std::vector<FieldProblem>& problems) {
  TableRows table;
  table.header << "field"
               << "does not fit, since"
               << "what would";
  table.texts = 3;
  for (const FieldProblem& problem : problems)
    table.rows.push_back(
        {{text(problem.field), text(problem.reason), text(problem.remedy)}, 0, false});
  return table;
}

}  // namespace quintet::gui
