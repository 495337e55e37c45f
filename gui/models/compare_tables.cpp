#include "gui/models/compare_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/base/text_table.h"
#include "sim/explain/breakdown_report.h"
#include "sim/explain/difference/cause_text.h"
#include "sim/explain/shown_times.h"

namespace quintet::gui {

namespace {

QString text(const std::string& words) {
  return QString::fromStdString(words);
}

int decimals_of(const Columns& columns) {
  Duration longest;
  for (const CompareColumn& column : columns) longest = std::max(longest, column.mean->step);
  return decimals_for(milliseconds(longest));
}

QString ms(Duration time, int decimals) {
  return text(fixed(milliseconds(time), decimals) + " ms");
}

QString share(Duration part, Duration whole) {
  return text(hundredths(share_of(part, whole)) + " %");
}

// As breakdown_rows() has it: of the base's step.
QString difference(Duration base, Duration other, Duration base_step, int decimals) {
  return text(fmt::format("{} ms {} %", signed_fixed(milliseconds(other - base), decimals),
                          signed_fixed(100 * share_of(other - base, base_step), 1)));
}

QStringList names(const Columns& columns) {
  QStringList all;
  for (const CompareColumn& column : columns) all << column.name;
  return all;
}

const StepSummary* summary_of(const CompareColumn& column) {
  return column.outcome == nullptr ? nullptr : &column.outcome->prediction().summary;
}

template <class Tells>
TableRow summary_row(const Columns& columns, const char* name, const char* tip, Tells tells) {
  TableRow row{{name}, 0, false, tip};
  for (const CompareColumn& column : columns) {
    const StepSummary* summary = summary_of(column);
    row.cells << (summary == nullptr ? QString("-") : text(tells(*summary)));
  }
  return row;
}

std::string known(double value, const std::string& text) {
  return value > 0.0 ? text : "-";
}

QString memory_text(const CompareColumn& column) {
  if (column.outcome == nullptr) return "-";
  const Answer& answer = column.outcome->answer();
  if (answer.memory_needed.value <= 0.0) return "-";
  return text(fmt::format("{:.2f} GiB", answer.memory_needed.value / 0x1p30));
}

TableRow step_row(const Columns& columns) {
  TableRow row{{"step"}, 0, true, "How long one training step takes"};
  const int decimals = decimals_of(columns);
  for (const CompareColumn& column : columns) row.cells << ms(column.mean->step, decimals);
  return row;
}

TableRow against_row(const Columns& columns, std::size_t base) {
  TableRow row{{"against the base"}, 0, false, "The step less the base's, and as a share of it"};
  const Duration was = columns[base].mean->step;
  const int decimals = decimals_of(columns);
  for (std::size_t i = 0; i < columns.size(); ++i)
    row.cells << (i == base ? QString("base")
                            : difference(was, columns[i].mean->step, was, decimals));
  return row;
}

TableRow settings_row(const Columns& columns, std::size_t base) {
  TableRow row{{"differs in"}, 0, false, {}};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto &own = columns[i].scenario, &others = columns[base].scenario;
    row.cells << (i == base         ? text(own ? difference_text(*own) : "-")
                  : !own || !others ? QString("is a recording")
                                    : text(difference_text(*own, *others)));
  }
  return row;
}

// Computing has the plain colour; the order and the looks are those of the command's drawings.
constexpr std::array part_looks{Look::blue, Look::vermillion, Look::yellow, Look::purple,
                                Look::sky,  Look::green,      Look::grey};

PartsBar bar_of(const CompareColumn& column, bool is_base, int decimals) {
  PartsBar bar;
  bar.name = column.name;
  bar.note = column.note;
  bar.marked = is_base;
  bar.whole = ms(column.mean->step, decimals);
  const std::vector<BreakdownRow> rows = rows_of(*column.mean);
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
    const BreakdownRow& row = rows[i];
    const QString words = text(row.name) + ": " + ms(row.time, decimals) + " (" +
                          share(row.time, column.mean->step) + ")";
    if (row.level == 0) {
      bar.parts.push_back(milliseconds(row.time));
      bar.texts.push_back(ms(row.time, decimals));
      bar.tips.push_back(column.name + "\n" + words);
    } else if (row.time != Duration{}) {
      bar.tips.back() += "\n  " + words;
    }
  }
  return bar;
}

// Parts that are nothing everywhere are left out.
void drop_empty(PartsPlot& plot) {
  for (std::size_t part = plot.keys.size(); part-- > 0;) {
    const bool used = std::any_of(plot.bars.begin(), plot.bars.end(),
                                  [part](const PartsBar& bar) { return bar.parts[part] > 0.0; });
    if (used) continue;
    const auto at = static_cast<std::ptrdiff_t>(part);
    plot.keys.erase(plot.keys.begin() + at);
    for (PartsBar& bar : plot.bars) {
      bar.parts.erase(bar.parts.begin() + at);
      bar.texts.erase(bar.texts.begin() + at);
      bar.tips.erase(bar.tips.begin() + at);
    }
  }
}

const std::vector<DifferencePart>* list_of(const StepParts& parts, DifferenceBy by) {
  switch (by) {
    case DifferenceBy::stack:
      return &parts.stack;
    case DifferenceBy::layer:
      return &parts.layers;
    case DifferenceBy::operators:
      return &parts.operators;
    case DifferenceBy::axis:
      return &parts.axes;
    case DifferenceBy::cause:
      return nullptr;
  }
  return nullptr;
}

TableRow difference_row(const QString& name, const Compared& time, Duration base_step,
                        const ShownTimes& times) {
  return {{name, text(times.ms(time.predicted)), text(times.ms(time.measured)),
           text(times.signed_ms(time.difference())),
           text(signed_fixed(100 * share_of(time.difference(), base_step), 1) + " %")},
          0,
          false,
          {}};
}

}  // namespace

TableRows figures_table(const Columns& columns, std::size_t base) {
  TableRows table{QStringList{""} + names(columns), {}};
  if (columns.empty()) return table;
  table.rows = {step_row(columns), against_row(columns, base)};
  const auto add = [&](const char* name, const char* tip, auto tells) {
    table.rows.push_back(summary_row(columns, name, tip, tells));
  };
  using Row = const StepSummary&;
  add("MFU", "Share of the GPUs' peak rate that the model's own FLOPs take",
      [](Row row) { return known(row.mfu, percent(row.mfu)); });
  add("HFU", "The same with the FLOPs executed, recomputation included",
      [](Row row) { return known(row.hfu, percent(row.hfu)); });
  add("tokens/s", "Of the whole job",
      [](Row row) { return known(row.tokens_per_second, fixed(row.tokens_per_second, 0)); });
  TableRow memory{{"memory of the fullest GPU"}, 0, false, "What it needs"};
  TableRow fit{{"fits"}, 0, false, "Into the GPUs' memory"};
  for (const CompareColumn& column : columns) {
    memory.cells << memory_text(column);
    fit.cells << (column.outcome == nullptr
                      ? QString("-")
                      : text(std::string(name_of(column.outcome->answer().fit))));
  }
  table.rows.push_back(memory);
  table.rows.push_back(fit);
  add("power", "Of the whole job, mean over the step",
      [](Row row) { return known(row.power.value, fixed(row.power.value / 1e3, 1) + " kW"); });
  add("energy of a step", "GPUs, hosts and network",
      [](Row row) { return known(row.energy.value, fixed(row.energy.value / 1e3, 1) + " kJ"); });
  add("rent of a step", "Price per GPU and hour x GPUs x step",
      [](Row row) { return known(row.cost.value, "$" + fixed(row.cost.value, 2)); });
  add("rent of 10^12 tokens", "At that price", [](Row row) {
    return known(row.cost_per_trillion_tokens.value,
                 "$" + fixed(row.cost_per_trillion_tokens.value, 0));
  });
  table.rows.push_back(settings_row(columns, base));
  return table;
}

TableRows parts_table(const Columns& columns, std::size_t base) {
  TableRows table{{"part of the step, mean over ranks"}, {}};
  if (columns.empty()) return table;
  std::vector<std::vector<BreakdownRow>> all;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    all.push_back(rows_of(*columns[i].mean));
    table.header << columns[i].name << "share";
    if (i != base) table.header << "less " + columns[base].name;
  }
  const int decimals = decimals_of(columns);
  const Duration base_step = columns[base].mean->step;
  for (std::size_t row = 0; row < all[0].size(); ++row) {
    const bool is_step = row + 1 == all[0].size();
    if (!is_step && std::all_of(all.begin(), all.end(),
                                [row](const auto& rows) { return rows[row].time == Duration{}; }))
      continue;
    TableRow made{{text(all[0][row].name)}, all[0][row].level, is_step, {}};
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const Duration time = all[i][row].time;
      made.cells << ms(time, decimals) << share(time, columns[i].mean->step);
      if (i != base) made.cells << difference(all[base][row].time, time, base_step, decimals);
    }
    table.rows.push_back(std::move(made));
  }
  return table;
}

PartsPlot parts_plot(const Columns& columns, std::size_t base) {
  PartsPlot plot;
  plot.title = "Where the time of a step goes, mean over ranks";
  plot.unit = "ms";
  plot.empty = "Choose what to compare on the left. Ctrl+K keeps the scenario as it is now.";
  if (columns.empty()) return plot;
  std::size_t next = 0;
  const std::vector<BreakdownRow> rows = rows_of(*columns.front().mean);
  for (std::size_t i = 0; i + 1 < rows.size(); ++i)
    if (rows[i].level == 0) plot.keys.emplace_back(part_looks.at(next++), text(rows[i].name));
  const int decimals = std::min(3, decimals_of(columns));
  for (std::size_t i = 0; i < columns.size(); ++i)
    plot.bars.push_back(bar_of(columns[i], columns.size() > 1 && i == base, decimals));
  drop_empty(plot);
  return plot;
}

QString text_of(DifferenceBy by) {
  switch (by) {
    case DifferenceBy::stack:
      return "layer of the stack";
    case DifferenceBy::layer:
      return "layer of the model";
    case DifferenceBy::operators:
      return "operator";
    case DifferenceBy::axis:
      return "work and axis";
    case DifferenceBy::cause:
      return "cause";
  }
  return "";
}

TableRows difference_table(const StepParts& parts, DifferenceBy by, const QString& base,
                           const QString& other) {
  TableRows table{{text_of(by), base, other, "difference", "of " + base}, {}};
  const ShownTimes times(std::max(parts.step.predicted, parts.step.measured));
  const Duration base_step = parts.step.predicted;
  if (const auto* list = list_of(parts, by)) {
    for (const DifferencePart& part : *list)
      if (part.time != Compared{})
        table.rows.push_back(difference_row(text(part.name), part.time, base_step, times));
  } else if (parts.difference) {
    for (const Cause& cause : parts.difference->causes)
      table.rows.push_back(difference_row(text(title_of(cause)), cause.charged, base_step, times));
  } else {
    return table;
  }
  Compared whole = parts.step;
  const bool is_step = by != DifferenceBy::operators;
  if (!is_step) {
    whole = {};
    for (const DifferencePart& part : parts.operators) {
      whole.predicted += part.time.predicted;
      whole.measured += part.time.measured;
    }
  }
  table.rows.push_back(difference_row(is_step ? "step" : "computing", whole, base_step, times));
  table.rows.back().strong = true;
  return table;
}

QString difference_words(const StepParts& parts, const QString& base, const QString& other) {
  if (!parts.difference)
    return QString(
               "Causes are told of two runs of one program; these are two: %1 Parts of one "
               "name stand beside each other.")
        .arg(text(parts.other_program).toHtmlEscaped());
  if (parts.step.difference() == Duration{}) return "Both steps take the same time.";
  QString words = QString("<p>\"Predicted\" is %1, \"measured\" is %2.</p><ul>")
                      .arg(base.toHtmlEscaped(), other.toHtmlEscaped());
  const ShownTimes times(std::max(parts.step.predicted, parts.step.measured));
  for (const std::string& sentence : why(*parts.difference, times))
    words += "<li>" + text(sentence).toHtmlEscaped() + "</li>";
  return words + "</ul>";
}

}  // namespace quintet::gui
