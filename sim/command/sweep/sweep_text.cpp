#include "sim/command/sweep/sweep_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "sim/base/csv.h"
#include "sim/base/text_table.h"
#include "sim/json/json_value.h"

namespace quintet {

namespace {

std::string cell_text(const SweepRow& row, Figure figure) {
  const auto value = value_of(row, figure);
  const std::string text = number_text(value, figure);
  return value && !row.made.fits() ? "(" + text + ")" : text;
}

std::string interval_text(const SweepRow& row) {
  if (!row.made.answer || !row.made.answer->interval) return "-";
  const StepInterval interval = *mean_interval(*row.made.answer);
  return fmt::format("{} to {} ms", number_text(interval.low.value * 1e3, Figure::step),
                     number_text(interval.high.value * 1e3, Figure::step));
}

std::string head_of(Figure figure) {
  return fmt::format("{} {}", name_of(figure), unit_of(figure));
}

std::string lines_text(const Sweep& sweep, Figure figure) {
  const std::vector<Figure> figures = known_figures(sweep);
  TextRow heads;
  for (const SweptField& field : sweep.fields) heads.push_back(short_name(field));
  for (const Figure each : figures) {
    heads.push_back(head_of(each));
    if (each == Figure::step) heads.push_back("90 % of such steps");
  }
  heads.push_back("");
  std::vector<TextRow> table{heads};
  const auto best = best_row(sweep, figure);
  for (std::size_t at = 0; at < sweep.rows.size(); ++at) {
    const SweepRow& row = sweep.rows[at];
    TextRow line = row.values;
    for (const Figure each : figures) {
      line.push_back(cell_text(row, each));
      if (each == Figure::step) line.push_back(interval_text(row));
    }
    line.push_back(best == at ? "best" : "");
    table.push_back(std::move(line));
  }
  return aligned(table);
}

std::string matrix_text(const Sweep& sweep, Figure figure) {
  const SweptField &down = sweep.fields[0], &across = sweep.fields[1];
  TextRow heads{short_name(down) + " \\ " + short_name(across)};
  heads.insert(heads.end(), across.values.begin(), across.values.end());
  std::vector<TextRow> table{heads};
  const auto best = best_row(sweep, figure);
  for (std::size_t row = 0; row < down.values.size(); ++row) {
    TextRow line{down.values[row]};
    for (std::size_t column = 0; column < across.values.size(); ++column) {
      const std::size_t at = row * across.values.size() + column;
      line.push_back(cell_text(sweep.rows[at], figure) + (best == at ? "*" : ""));
    }
    table.push_back(std::move(line));
  }
  return fmt::format("{} in {}; * is the best\n{}", name_of(figure), unit_of(figure),
                     aligned(table));
}

// Each reason once, with the first case that has it and how many more do.
std::string reasons_text(const Sweep& sweep) {
  std::map<std::string, std::pair<std::string, int>> reasons;
  for (const SweepRow& row : sweep.rows) {
    if (row.made.answer) continue;
    const auto [found, fresh] =
        reasons.try_emplace(row.made.reason, case_text(sweep.fields, row.values), 0);
    if (!fresh) ++found->second.second;
  }
  std::string text;
  for (const auto& [reason, first] : reasons)
    text += fmt::format("Not possible: {}{}: {}\n", first.first,
                        first.second > 0 ? fmt::format(" and {} more", first.second) : "", reason);
  return text;
}

std::string brackets_text(const Sweep& sweep) {
  const bool any = std::any_of(sweep.rows.begin(), sweep.rows.end(), [](const SweepRow& row) {
    return row.made.answer && !row.made.fits();
  });
  return any ? "In brackets: does not fit in memory.\n" : "";
}

std::string known_text(double value) {
  return value > 0 ? fmt::format("{}", value) : "";
}

JsonValue known(double value) {
  return value > 0 ? JsonValue(value) : JsonValue(nullptr);
}

JsonValue interval_json(const Answer& answer) {
  if (!answer.interval) return nullptr;
  const StepInterval interval = *mean_interval(answer);
  return {{"low_s", interval.low.value},
          {"high_s", interval.high.value},
          {"rests_on", answer.interval->rests_on}};
}

double cost_of(const Answer& answer) {
  return value_of(answer, Figure::cost).value_or(0);
}

JsonValue row_json(const Sweep& sweep, const SweepRow& row) {
  JsonValue values = JsonValue::object();
  for (std::size_t i = 0; i < row.values.size(); ++i)
    values[name_text(sweep.fields[i])] = row.values[i];
  JsonValue made{{"values", values}, {"fits", row.made.fits()}, {"reason", row.made.reason}};
  if (!row.made.answer) return made;
  const Answer& answer = *row.made.answer;
  made.update({{"step_s", mean_step(answer).value},
               {"interval", interval_json(answer)},
               {"mfu", known(answer.summary.mfu)},
               {"tokens_per_s", known(answer.summary.tokens_per_second)},
               {"memory_bytes", known(answer.memory_needed.value)},
               {"capacity_bytes", known(answer.memory_capacity.value)},
               {"energy_j", known(answer.summary.energy.value)},
               {"cost_usd", known(cost_of(answer))}});
  return made;
}

}  // namespace

std::optional<double> value_of(const SweepRow& row, Figure figure) {
  return row.made.answer ? value_of(*row.made.answer, figure) : std::nullopt;
}

std::vector<Figure> known_figures(const Sweep& sweep) {
  std::vector<Figure> known;
  for (const Figure figure :
       {Figure::step, Figure::mfu, Figure::memory, Figure::cost, Figure::energy})
    if (std::any_of(sweep.rows.begin(), sweep.rows.end(),
                    [&](const SweepRow& row) { return value_of(row, figure).has_value(); }))
      known.push_back(figure);
  return known;
}

std::optional<std::size_t> best_row(const Sweep& sweep, Figure figure) {
  std::optional<std::size_t> best;
  for (std::size_t at = 0; at < sweep.rows.size(); ++at) {
    if (!sweep.rows[at].made.fits()) continue;
    const auto value = value_of(sweep.rows[at], figure);
    if (!value) continue;
    if (!best) {
      best = at;
      continue;
    }
    const double other = *value_of(sweep.rows[*best], figure);
    if (less_is_better(figure) ? *value < other : *value > other) best = at;
  }
  return best;
}

std::string sweep_text(const Sweep& sweep, Figure figure) {
  const std::string table =
      sweep.fields.size() == 2 ? matrix_text(sweep, figure) : lines_text(sweep, figure);
  return fmt::format("Model     {}\nMachine   {}\n\n{}{}{}", sweep.model, sweep.machine, table,
                     brackets_text(sweep), reasons_text(sweep));
}

std::string sweep_csv(const Sweep& sweep) {
  std::string text;
  for (const SweptField& field : sweep.fields) text += csv_cell(name_text(field)) + ",";
  text +=
      "step_s,step_low_s,step_high_s,mfu,tokens_per_s,memory_needed_bytes,memory_capacity_bytes,"
      "energy_per_step_j,cost_per_step_usd,fits,reason\n";
  for (const SweepRow& row : sweep.rows) {
    for (const std::string& value : row.values) text += csv_cell(value) + ",";
    if (row.made.answer) {
      const Answer& answer = *row.made.answer;
      const auto interval = mean_interval(answer);
      text += fmt::format(
          "{},{},{},{},{},{},{},{},{},", mean_step(answer).value,
          interval ? known_text(interval->low.value) : "",
          interval ? known_text(interval->high.value) : "", known_text(answer.summary.mfu),
          known_text(answer.summary.tokens_per_second), known_text(answer.memory_needed.value),
          known_text(answer.memory_capacity.value), known_text(answer.summary.energy.value),
          known_text(cost_of(answer)));
    } else {
      text += ",,,,,,,,,";
    }
    text += fmt::format("{},{}\n", row.made.fits(), csv_cell(row.made.reason));
  }
  return text;
}

std::string sweep_json(const Sweep& sweep) {
  JsonValue json{{"schema_version", 1},          {"model", sweep.model},
                 {"topology", sweep.machine},    {"fields", JsonValue::array()},
                 {"points", JsonValue::array()}, {"best", nullptr}};
  for (const SweptField& field : sweep.fields)
    json["fields"].push_back({{"name", name_text(field)}, {"values", field.values}});
  for (const SweepRow& row : sweep.rows) json["points"].push_back(row_json(sweep, row));
  if (const auto best = best_row(sweep, Figure::step)) json["best"] = *best;
  return json.dump(2) + "\n";
}

}  // namespace quintet
