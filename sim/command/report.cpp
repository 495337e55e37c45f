#include "sim/command/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/answer/answer_json.h"
#include "sim/answer/head_text.h"
#include "sim/answer/money_answer.h"
#include "sim/answer/plan_rows.h"
#include "sim/base/shown_text.h"
#include "sim/explain/breakdown_report.h"
#include "sim/json/json_value.h"

namespace quintet {

namespace {

using Json = JsonValue;
using Names = std::vector<std::string>;

Names names_of(const ReportInput& input) {
  Names names;
  for (const NamedPrediction& plan : input.plans) names.push_back(plan.name);
  return names;
}

Names short_names_of(const ReportInput& input) {
  Names names;
  for (const std::string& name : distinct_ends(names_of(input))) names.push_back(shown(name));
  return names;
}

template <class T>
std::vector<Named<T>> named(const ReportInput& input, const Names& names, T Prediction::*part) {
  std::vector<Named<T>> all;
  for (std::size_t i = 0; i < names.size(); ++i)
    all.push_back({names[i], input.plans[i].prediction.*part});
  return all;
}

std::string header_text(const ReportInput& input) {
  std::string text = fmt::format("Model     {}\nMachine   {}\nCosts     {}\n", input.model,
                                 input.topology, input.costs);
  if (!input.stack.empty()) text += fmt::format("Stack     {}\n", input.stack);
  return text + "\n";
}

std::vector<Answer> answers_of(const ReportInput& input) {
  std::vector<Answer> all;
  for (const NamedPrediction& plan : input.plans) all.push_back(plan.answer);
  return all;
}

// The stages to show: with few all, otherwise the fullest, the first and the last.
MemoryReport shortened(const MemoryReport& memory) {
  constexpr std::size_t few = 5;
  if (memory.ranks.size() <= few) return memory;
  const RankMemory most = fullest(memory).value_or(RankMemory{});
  MemoryReport chosen;
  chosen.capacity = memory.capacity;
  for (const RankMemory& rank : memory.ranks)
    if (&rank == &memory.ranks.front() || &rank == &memory.ranks.back() || rank == most)
      chosen.ranks.push_back(rank);
  return chosen;
}

// B and W are passes of their own.
bool splits_backward(const Program& program) {
  return std::any_of(program.bodies.begin(), program.bodies.end(), [](const Body& body) {
    return body.kind == BodyKind::layer && body.phase == Phase::weight_gradient;
  });
}

// The margin stands in the head.
std::string verdict_line(const Answer& answer) {
  return answer.fit_text.substr(0, answer.fit_text.find("; "));
}

constexpr const char* less_memory =
    "Less is needed with --zero 1 or 3, --sp, --recompute selective or full, a smaller "
    "--micro-batch,\nmore --pipeline or more --tensor; lists of values compare, such as "
    "--recompute none,full\n";

std::string memory_text(const NamedPrediction& plan, const std::string& name, MemoryShown shown) {
  constexpr Bytes least_shown{5e6};  // the table rounds to 0.01 GiB
  const MemoryReport& memory = plan.prediction.memory;
  if (memory.capacity.value <= 0 || total(fullest(memory).value_or(RankMemory{})) < least_shown)
    return "";
  const MemoryReport chosen = shown == MemoryShown::all ? memory : shortened(memory);
  const std::string left_out = chosen.ranks.size() == memory.ranks.size()
                                   ? ""
                                   : fmt::format("; {} of {} stages, --memory shows all",
                                                 chosen.ranks.size(), memory.ranks.size());
  const std::string bound = splits_backward(plan.prediction.program)
                                ? "At most so much: all that forward kept is counted until W, also "
                                  "what only B reads\n"
                                : "";
  return fmt::format("Memory of a GPU in GiB, {}{}\n{}{}\n{}\n", name, left_out,
                     memory_rows(chosen), verdict_line(plan.answer),
                     bound + (plan.answer.fit == MemoryFit::does_not_fit ? less_memory : ""));
}

// What the cost table was asked beyond what it was fitted to.
std::string outside_text(const PredictedInterval& interval) {
  constexpr std::size_t most_remarks = 6;
  std::string text;
  for (std::size_t i = 0; i < std::min(most_remarks, interval.outside.size()); ++i)
    text += fmt::format("Outside what was measured: {}\n", shown(interval.outside[i], 100));
  if (interval.outside.size() > most_remarks)
    text += fmt::format("and {} more, --json has all\n", interval.outside.size() - most_remarks);
  return text.empty() ? text : text + "\n";
}

Json interval_json(const NamedPrediction& plan) {
  const PredictedInterval& interval = plan.prediction.interval;
  const bool has_width = interval.low < interval.high;
  return {{"name", plan.name},
          {"nominal", 0.9},
          {"low_s", has_width ? Json(seconds(interval.low).value) : Json(nullptr)},
          {"high_s", has_width ? Json(seconds(interval.high).value) : Json(nullptr)},
          {"known_share", interval.known},
          {"outside", interval.outside}};
}

std::string links_text(const std::vector<BusyLinks>& busiest, const std::string& name) {
  constexpr double least_shown = 0.0005;  // 0.1 %, rounded
  std::size_t width = 0;
  for (const BusyLinks& busy : busiest) width = std::max(width, busy.link.size());
  std::string lines;
  for (const BusyLinks& busy : busiest)
    if (busy.utilisation >= least_shown)
      lines += fmt::format("{:5.1f} %  {:<{}}  {:>5} alike  {}\n", 100.0 * busy.utilisation,
                           busy.link, width, busy.alike, busy.part);
  if (lines.empty()) return "";
  return fmt::format("Busiest links, {} (bytes carried / what the wire could in a step)\n{}\n",
                     name, lines);
}

Json links_json(const NamedPrediction& plan) {
  Json links = Json::array();
  for (const BusyLinks& busy : plan.busiest)
    links.push_back({{"link", busy.link},
                     {"part", busy.part},
                     {"alike", busy.alike},
                     {"carried_bytes", busy.carried.value},
                     {"utilisation", busy.utilisation}});
  return {{"name", plan.name}, {"links", std::move(links)}};
}

Json memory_entry(const NamedPrediction& plan) {
  Json memory = {{"name", plan.name}};
  memory.update(Json::parse(memory_json(plan.prediction.memory)));
  memory.erase("schema_version");  // the report's is the one
  return memory;
}

// A copy in which those that do not fit stand last; timelines, which may be gigabytes, stay behind.
ReportInput in_order(const ReportInput& input, bool by_step) {
  ReportInput ordered{input.model, input.topology, input.costs,  input.stack, input.residuals,
                      {},          input.bad,      input.faults, input.money};
  for (const std::size_t at : order_of(answers_of(input), by_step)) {
    const NamedPrediction& plan = input.plans[at];
    NamedPrediction& copy = ordered.plans.emplace_back();
    copy.name = plan.name;
    copy.busiest = plan.busiest;
    copy.answer = plan.answer;
    copy.prediction.program = plan.prediction.program;
    copy.prediction.mean = plan.prediction.mean;
    copy.prediction.summary = plan.prediction.summary;
    copy.prediction.interval = plan.prediction.interval;
    copy.prediction.memory = plan.prediction.memory;
  }
  return ordered;
}

// The head of a column: a plan that does not fit says so wherever it stands beside others.
Names marked_names(const ReportInput& input) {
  Names names = short_names_of(input);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (input.plans.size() > 1 && input.plans[i].answer.fit == MemoryFit::does_not_fit)
      names[i] += " (does not fit)";
  return names;
}

std::vector<PlanRow> rows_of(const ReportInput& input, const Names& names) {
  std::vector<PlanRow> rows;
  for (std::size_t i = 0; i < names.size(); ++i)
    rows.push_back({names[i], input.plans[i].answer, input.plans[i].prediction.mean, input.topology,
                    input.costs});
  return rows;
}

std::vector<Named<StepSummary>> summaries_of(const ReportInput& input, const Names& names) {
  std::vector<Named<StepSummary>> all;
  for (std::size_t i = 0; i < names.size(); ++i)
    all.push_back({names[i], input.plans[i].answer.summary});
  return all;
}

std::string rows_text(const ReportInput& input) {
  const Names names = short_names_of(input);
  return plan_rows_text(rows_of(input, names)) +
         "comm.: exposed communication; --csv and --json have more of each plan, and so does a "
         "plan alone\n" +
         summary_formulas(summaries_of(input, names)) + "\n";
}

std::string heads_text(const ReportInput& input) {
  std::string text;
  for (const NamedPrediction& plan : input.plans) text += head_text(plan.answer) + "\n";
  const std::vector<Named<StepSummary>> summaries = summaries_of(input, marked_names(input));
  return text + (summaries.size() > 1 ? summary_table(summaries) : summary_formulas(summaries)) +
         "\n";
}

std::string basis_text(const ReportInput& input) {
  if (input.plans.size() > 1) return "";
  return "What the step rests on: measured on this machine, published for this card, borrowed from "
         "another, guessed\n" +
         basis_table(input.plans.front().answer.basis) + "\n";
}

std::string parts_text(const ReportInput& input, MemoryShown memory) {
  const Names names = short_names_of(input);
  std::string text;
  for (const NamedPrediction& plan : input.plans) text += outside_text(plan.prediction.interval);
  text += "Where the time of a step goes, mean over ranks (parts sum to the step)\n";
  text += breakdown_table(named(input, marked_names(input), &Prediction::mean)) + "\n";
  text += basis_text(input);
  for (std::size_t i = 0; i < names.size(); ++i)
    text += memory_text(input.plans[i], names[i], memory);
  for (std::size_t i = 0; i < names.size(); ++i)
    text += links_text(input.plans[i].busiest, names[i]);
  return text;
}

std::string money_text(const ReportInput& input) {
  const Names names = short_names_of(input);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (const Answer& answer = input.plans[i].answer; input.money && answer.money)
      text += report_text(money_sections(names[i], *answer.money, answer.run)) + "\n";
  return text;
}

std::string first_line(const Error& error) {
  const std::string text = error.text();
  return text.substr(0, text.find('\n'));
}

}  // namespace

std::vector<std::string> distinct_ends(const std::vector<std::string>& names) {
  if (names.size() < 2) return names;
  std::size_t shared = names.front().size();
  for (const std::string& name : names) {
    const auto [end, other] =
        std::mismatch(name.begin(), name.end(), names.front().begin(), names.front().end());
    shared = std::min(shared, static_cast<std::size_t>(end - name.begin()));
  }
  const std::size_t cut = names.front().substr(0, shared).find_last_of("-_ ");
  if (cut == std::string::npos) return names;
  Names ends;
  for (const std::string& name : names) ends.push_back(name.substr(cut + 1));
  const bool told_apart =
      std::none_of(ends.begin(), ends.end(), [](const std::string& end) { return end.empty(); });
  return told_apart ? ends : names;
}

std::string report_text(const ReportInput& input, MemoryShown memory) {
  if (input.plans.empty()) return "";
  const bool as_rows = input.plans.size() >= fewest_for_rows;
  const ReportInput ordered = in_order(input, as_rows);
  std::string text = header_text(ordered) + (as_rows ? rows_text(ordered) : heads_text(ordered));
  if (!as_rows) text += parts_text(ordered, memory);
  text += money_text(ordered);
  for (const BadPlan& bad : input.bad)
    text += fmt::format("Not answered: {}: {}\n\n", shown(bad.file, 90), first_line(bad.error));
  text.pop_back();  // the blank line that parts a section from the next
  return text;
}

std::string report_json(const ReportInput& input) {
  const Names names = names_of(input);
  Json report{
      {"schema_version", simulate_schema_version},
      {"model", input.model},
      {"topology", input.topology},
      {"machine_faults", input.faults},
      {"costs", input.costs},
      {"stack", input.stack.empty() ? Json(nullptr) : Json(input.stack)},
      {"published_residuals", input.residuals.empty() ? Json(nullptr) : Json(input.residuals)}};
  report["summary"] = Json::parse(summary_json(summaries_of(input, names)))["plans"];
  const std::vector<std::optional<int>> all_places = places(answers_of(input));
  for (std::size_t i = 0; i < input.plans.size(); ++i)
    report["summary"].elements()[i].update(answer_fields(input.plans[i].answer, all_places[i]));
  report["breakdown"] =
      Json::parse(breakdown_json(named(input, names, &Prediction::mean)))["plans"];
  for (Json& plan : report["breakdown"].elements()) plan["unit"] = "ps";
  for (const NamedPrediction& plan : input.plans) {
    report["intervals"].push_back(interval_json(plan));
    report["memory"].push_back(memory_entry(plan));
    report["busiest_links"].push_back(links_json(plan));
  }
  report["errors"] = Json::array();
  for (const BadPlan& bad : input.bad) report["errors"].push_back(error_entry(bad.file, bad.error));
  return report.dump(2) + "\n";
}

std::string report_csv(const ReportInput& input) {
  return plan_rows_csv(rows_of(input, names_of(input)));
}

}  // namespace quintet
