#include "sim/answer/plan_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string_view>
#include <vector>

#include "sim/answer/head_text.h"
#include "sim/answer/numbers_text.h"
#include "sim/answer/run_text.h"
#include "sim/base/csv.h"
#include "sim/base/text_table.h"

namespace quintet {

namespace {

constexpr double gibibyte = 1073741824.0;

std::vector<Answer> answers_of(std::span<const PlanRow> rows) {
  std::vector<Answer> all;
  for (const PlanRow& row : rows) all.push_back(row.answer);
  return all;
}

std::string verdict_cell(const Answer& answer) {
  switch (answer.fit) {
    case MemoryFit::fits:
    case MemoryFit::not_known:
      return "";
    case MemoryFit::too_close:
      return "too close";
    case MemoryFit::does_not_fit:
      return "DOES NOT FIT";
  }
  return "";
}

std::string share_cell(Duration part, Duration whole) {
  return part == Duration{} ? "" : hundredths(seconds(part) / seconds(whole));
}

Duration exposed(const RankBreakdown& mean) {
  return std::accumulate(mean.exposed.begin(), mean.exposed.end(), Duration{});
}

std::string remark_cell(const PlanRow& row) {
  const std::string verdict = verdict_cell(row.answer);
  if (!row.costs.starts_with("guessed")) return verdict;
  return verdict.empty() ? "guessed" : verdict + ", guessed";
}

// What only some questions have, or what differs.
struct Further {
  bool layouts = false, batches = false, machines = false, run = false, money = false;
  Seconds longest_run;
};

Further further_of(std::span<const PlanRow> rows) {
  Further further;
  for (const PlanRow& row : rows) {
    const Parallelism &own = row.answer.parallelism, &first = rows.front().answer.parallelism;
    further.layouts |= layout_text(own) != layout_text(first);
    further.batches |= global_batch(own) != global_batch(first);
    further.machines |= row.machine != rows.front().machine;
    further.run |= row.answer.run.has_value();
    if (row.answer.run) further.longest_run = std::max(further.longest_run, row.answer.run->time);
    further.money |= row.answer.money.has_value();
  }
  return further;
}

// What so many tokens cost at this hourly price.
Dollars of_tokens(Dollars hour, double tokens, const Answer& answer) {
  return {hour.value * tokens / answer.summary.tokens_per_second / 3600};
}

constexpr double million = 1e6;

std::string price_cell(Dollars hour, const Answer& answer) {
  if (!(hour.value > 0) || !(answer.summary.tokens_per_second > 0)) return "";
  const double price = of_tokens(hour, million, answer).value;
  return fixed(price, decimals_for(price) - 2);
}

std::vector<std::string> further_heads(const Further& further) {
  std::vector<std::string> heads;
  if (further.run) heads.emplace_back("run, " + std::string(unit_of(further.longest_run).name));
  if (further.money) heads.insert(heads.end(), {"$/M tokens owned", "rented"});
  if (further.run && further.money) heads.insert(heads.end(), {"run $ owned", "rented"});
  return heads;
}

std::vector<std::string> further_cells(const Further& further, const Answer& answer) {
  std::vector<std::string> cells;
  const std::optional<Money>& money = answer.money;
  if (further.run)
    cells.push_back(answer.run ? in_unit(answer.run->time, unit_of(further.longest_run)) : "");
  if (further.money)
    for (const Amounts Money::*hour : {&Money::owned, &Money::rented})
      cells.push_back(money ? price_cell((*money.*hour).usual, answer) : "");
  if (further.run && further.money)
    for (const Amounts Money::*hour : {&Money::owned, &Money::rented})
      cells.push_back(money && answer.run && (*money.*hour).usual.value > 0
                          ? in_words((*money.*hour).usual.value * answer.run->time.value / 3600)
                          : "");
  return cells;
}

std::vector<std::string> heads(const Further& further) {
  std::vector<std::string> all{"#", "plan"};
  if (further.layouts) all.emplace_back("layout");
  if (further.machines) all.emplace_back("machine");
  if (further.batches) all.emplace_back("batch");
  all.insert(all.end(),
             {"step ms", "90 % of such steps", "MFU %", "compute %", "comm. %", "bubble %", "GiB"});
  const std::vector<std::string> more = further_heads(further);
  all.insert(all.end(), more.begin(), more.end());
  all.emplace_back("");
  return all;
}

TextRow text_row(const PlanRow& row, std::optional<int> place, const Further& further) {
  const Answer& answer = row.answer;
  const double ms = 1e3 * mean_step(answer).value;
  TextRow cells{place ? fmt::to_string(*place) : "-", row.name};
  if (further.layouts) cells.push_back(layout_text(answer.parallelism));
  if (further.machines) cells.push_back(row.machine.substr(0, row.machine.rfind(": ")));
  if (further.batches) cells.push_back(fmt::to_string(global_batch(answer.parallelism)));
  const std::vector<std::string> numbers{
      fixed(ms, decimals_for(ms)),
      answer.interval ? range_text(*mean_interval(answer)) : "",
      answer.summary.mfu > 0 ? hundredths(answer.summary.mfu) : "",
      share_cell(row.mean.compute, row.mean.step),
      share_cell(exposed(row.mean), row.mean.step),
      share_cell(row.mean.bubble, row.mean.step),
      answer.memory_needed.value > 0 ? fixed(answer.memory_needed.value / gibibyte, 1) : ""};
  cells.insert(cells.end(), numbers.begin(), numbers.end());
  const std::vector<std::string> more = further_cells(further, answer);
  cells.insert(cells.end(), more.begin(), more.end());
  cells.push_back(remark_cell(row));
  return cells;
}

// Instead of columns: "All: TP 8 x PP 2 x DP 8; 128 sequences a step".
std::string what_all_share(std::span<const PlanRow> rows, const Further& further) {
  std::string text;
  if (rows.empty()) return text;
  const Parallelism& first = rows.front().answer.parallelism;
  if (!further.layouts) text = layout_text(first);
  if (!further.batches)
    text += fmt::format("{}{} sequence{} a step", text.empty() ? "" : "; ",
                        grouped(static_cast<double>(global_batch(first))),
                        global_batch(first) == 1 ? "" : "s");
  return text.empty() ? text : "All: " + text + "\n";
}

// Names and layouts stand to the left of their columns.
void pad(std::vector<TextRow>& table, std::size_t column) {
  std::size_t width = 0;
  for (const TextRow& row : table) width = std::max(width, row[column].size());
  for (TextRow& row : table) row[column].resize(width, ' ');
}

std::string number(double value) {
  return fmt::format("{}", value);
}

std::string known(double value) {
  return value > 0 ? number(value) : "";
}

struct Column {
  std::string_view name;
  std::function<std::string(const Answer&)> cell;
};

// As an hour's, a step's and a run's money have them.
std::vector<Column> money_columns() {
  const auto hour = [](Amounts Money::*sums) {
    return [sums](const Answer& a) { return a.money ? known((*a.money.*sums).usual.value) : ""; };
  };
  const auto run = [](Amounts Money::*sums) {
    return [sums](const Answer& a) {
      return a.money && a.run ? known((*a.money.*sums).usual.value * a.run->time.value / 3600) : "";
    };
  };
  return {{"owned_usd_per_hour", hour(&Money::owned)},
          {"rented_usd_per_hour", hour(&Money::rented)},
          {"owned_usd_per_step", hour(&Money::owned_step)},
          {"rented_usd_per_step", hour(&Money::rented_step)},
          {"owned_usd_per_run", run(&Money::owned)},
          {"rented_usd_per_run", run(&Money::rented)}};
}

std::string joined_faults(const std::vector<std::string>& faults) {
  std::string text;
  for (const std::string& fault : faults) text += (text.empty() ? "" : "; ") + fault;
  return text;
}

std::vector<Column> csv_columns() {
  const auto of = [](int Parallelism::*degree) {
    return [degree](const Answer& answer) { return fmt::to_string(answer.parallelism.*degree); };
  };
  const auto summary = [](double StepSummary::*part) {
    return [part](const Answer& answer) { return known(answer.summary.*part); };
  };
  return {
      {"plan", [](const auto& answer) { return answer.name; }},
      {"tensor", of(&Parallelism::tensor)},
      {"pipeline", of(&Parallelism::pipeline)},
      {"data", of(&Parallelism::data)},
      {"virtual_stages", of(&Parallelism::virtual_stages)},
      {"sharding", [](const auto& a) { return std::string(name_of(a.parallelism.sharding)); }},
      {"recompute", [](const auto& a) { return std::string(name_of(a.parallelism.recompute)); }},
      {"device", [](const auto& a) { return a.device; }},
      {"hosts", [](const auto& a) { return fmt::to_string(a.hosts); }},
      {"machine_faults", [](const auto& a) { return joined_faults(a.faults); }},
      {"ranks", [](const auto& a) { return fmt::to_string(a.ranks); }},
      {"global_batch_sequences",
       [](const auto& a) { return fmt::to_string(global_batch(a.parallelism)); }},
      {"sequence_length_tokens", of(&Parallelism::sequence_length)},
      {"micro_batch_sequences", of(&Parallelism::micro_batch)},
      {"tokens_per_step", [](const auto& a) { return fmt::to_string(a.tokens_per_step); }},
      {"step_s", [](const auto& a) { return number(mean_step(a).value); }},
      {"step_low_s",
       [](const auto& a) { return a.interval ? number(mean_interval(a)->low.value) : ""; }},
      {"step_high_s",
       [](const auto& a) { return a.interval ? number(mean_interval(a)->high.value) : ""; }},
      {"mfu", summary(&StepSummary::mfu)},
      {"tokens_per_s", summary(&StepSummary::tokens_per_second)},
      {"tokens_per_s_per_gpu", summary(&StepSummary::tokens_per_second_per_gpu)},
      {"energy_per_step_j", [](const auto& a) { return known(a.summary.energy.value); }},
      {"memory_needed_bytes", [](const auto& a) { return known(a.memory_needed.value); }},
      {"memory_capacity_bytes", [](const auto& a) { return known(a.memory_capacity.value); }},
      {"memory_verdict", [](const auto& a) { return std::string(name_of(a.fit)); }},
      {"run_days", [](const auto& a) { return a.run ? number(a.run->time.value / 86400) : ""; }},
      {"run_energy_j", [](const auto& a) { return a.run ? known(a.run->energy.value) : ""; }},
  };
}

}  // namespace

std::string plan_rows_text(std::span<const PlanRow> rows) {
  const std::vector<Answer> answers = answers_of(rows);
  const std::vector<std::optional<int>> all_places = places(answers);
  const Further further = further_of(rows);
  std::vector<TextRow> table{heads(further)};
  for (const std::size_t at : order_of(answers, true))
    table.push_back(text_row(rows[at], all_places[at], further));
  const std::size_t words = 1 + (further.layouts ? 1 : 0) + (further.machines ? 1 : 0);
  for (std::size_t column = 1; column <= words; ++column) pad(table, column);
  return aligned(table) + what_all_share(rows, further);
}

std::string plan_rows_csv(std::span<const PlanRow> rows) {
  std::vector<Column> columns = csv_columns();
  for (Column& column : money_columns()) columns.push_back(std::move(column));
  std::string text;
  for (const Column& column : columns) text += fmt::format("{},", column.name);
  text += "machine,costs\n";
  for (const PlanRow& row : rows) {
    for (const Column& column : columns) text += csv_cell(column.cell(row.answer)) + ",";
    text += csv_cell(row.machine) + "," + csv_cell(row.costs) + "\n";
  }
  return text;
}

}  // namespace quintet
