#include "sim/command/search/search_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/advice/advice_text.h"
#include "sim/base/text_table.h"
#include "sim/command/report_header.h"
#include "sim/search/search_fields.h"
#include "sim/usage/complain.h"

namespace quintet {
namespace {

// "1,234,567"
std::string grouped(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

// A field as a column's head: "tensor", "ccl data algorithm".
std::string head_of(const SearchField& field) {
  const std::string_view path = field.path;
  std::string head(path.starts_with("parallelism.") ? path.substr(12) : path);
  std::replace(head.begin(), head.end(), '.', ' ');
  return head;
}

bool is_degree(const SearchField& field) {
  return field.path == "parallelism.tensor" || field.path == "parallelism.pipeline" ||
         field.path == "parallelism.data";
}

// Whether plans of the list differ in it.
bool differs(const std::vector<FoundPlan>& plans, std::size_t dimension) {
  return std::any_of(plans.begin(), plans.end(), [&](const FoundPlan& plan) {
    return plan.choices[dimension] != plans.front().choices[dimension];
  });
}

struct Column {
  std::string head;
  std::string (*text)(const SearchReport& report, const FoundPlan& plan);
  bool (*shown)(const SearchReport& report);
};

bool is_priced(const SearchReport& report) {
  return std::any_of(report.machines.bills.begin(), report.machines.bills.end(),
                     [](const auto& bill) { return bill.has_value(); });
}

std::string amount(double value) {
  return fixed(value, value >= 100 ? 0 : decimals_for(value));
}

const std::vector<Column>& columns() {
  static const std::vector<Column> all{
      {"step ms",
       [](const auto&, const auto& plan) {
         const double ms = plan.found.estimate.step.value * 1e3;
         return fixed(ms, decimals_for(ms));
       },
       [](const auto&) { return true; }},
      {"MFU %", [](const auto&, const auto& plan) { return hundredths(plan.answer.summary.mfu); },
       [](const auto&) { return true; }},
      {"memory %",
       [](const auto&, const auto& plan) {
         const StepEstimate& estimate = plan.found.estimate;
         return estimate.capacity.value > 0 ? hundredths(estimate.memory / estimate.capacity)
                                            : std::string("-");
       },
       [](const auto&) { return true; }},
      {"energy MJ",
       [](const auto&, const auto& plan) { return amount(plan.worth.energy.value * 1e-6); },
       [](const SearchReport& report) { return report.plans.front().worth.energy > Joules{}; }},
      {"$/step", [](const auto&, const auto& plan) { return amount(plan.worth.step_money.value); },
       is_priced},
      {"$/h", [](const auto&, const auto& plan) { return amount(plan.worth.hour_money.value); },
       is_priced},
      {"run d",
       [](const auto&, const auto& plan) { return fixed(plan.worth.run.value / 86400, 2); },
       [](const SearchReport& report) { return report.wanted.run.has_value(); }},
      {"run M$",
       [](const auto&, const auto& plan) { return amount(plan.worth.run_money.value * 1e-6); },
       [](const SearchReport& report) { return report.wanted.run && is_priced(report); }},
      {"machine",
       [](const SearchReport& report, const auto& plan) {
         return report.machines.names[plan.machine];
       },
       [](const SearchReport& report) { return report.machines.names.size() > 1; }},
      {"TP x PP x DP",
       [](const auto&, const auto& plan) {
         const Parallelism& parallelism = plan.plan.parallelism;
         return fmt::format("{} x {} x {}", parallelism.tensor, parallelism.pipeline,
                            parallelism.data);
       },
       [](const auto&) { return true; }}};
  return all;
}

std::vector<std::size_t> differing(const SearchReport& report) {
  std::vector<std::size_t> found;
  const std::vector<Dimension>& dimensions = report.candidates.space().dimensions;
  for (std::size_t i = 0; i < dimensions.size(); ++i)
    if (!is_degree(*dimensions[i].field) && differs(report.plans, i)) found.push_back(i);
  return found;
}

std::string table_text(const SearchReport& report) {
  const std::vector<std::size_t> differ = differing(report);
  const std::vector<Dimension>& dimensions = report.candidates.space().dimensions;
  TextRow head{""};
  for (const Column& column : columns())
    if (column.shown(report)) head.push_back(column.head);
  for (const std::size_t i : differ) head.push_back(head_of(*dimensions[i].field));
  std::vector<TextRow> rows{head};
  for (const FoundPlan& plan : report.plans) {
    TextRow row{plan.plan.name.substr(0, plan.plan.name.find('-'))};
    for (const Column& column : columns())
      if (column.shown(report)) row.push_back(column.text(report, plan));
    for (const std::size_t i : differ)
      row.push_back(plan.choices[i].empty() ? "-" : plan.choices[i]);
    rows.push_back(row);
  }
  return aligned(rows);
}

// What was to be chosen and is the same of all that are shown.
std::string alike_text(const SearchReport& report) {
  const std::vector<Dimension>& dimensions = report.candidates.space().dimensions;
  std::vector<std::string> alike;
  for (std::size_t i = 0; i < dimensions.size(); ++i)
    if (dimensions[i].choices.size() > 1 && !is_degree(*dimensions[i].field) &&
        !differs(report.plans, i) && !report.plans.front().choices[i].empty())
      alike.push_back(head_of(*dimensions[i].field) + " " + report.plans.front().choices[i]);
  if (alike.empty() || report.plans.size() < 2) return "";
  return "All of these have " + joined(alike) + ".\n";
}

std::string memory_text(const SearchReport& report) {
  if (report.plans.front().answer.fit != MemoryFit::too_close) return "";
  return "Whether the first fits is too close to tell; --headroom 0.05 leaves 5 % of the memory "
         "free.\n";
}

}  // namespace

std::string space_text(const Candidates& candidates) {
  std::vector<std::string> listed_fields;
  for (const Dimension& dimension : candidates.space().dimensions) {
    std::vector<std::string> values;
    for (const Choice& choice : dimension.choices) values.push_back(choice.text);
    if (values.size() > 8) {
      const std::size_t more = values.size() - 6;
      values.resize(6);
      values.push_back(fmt::format("and {} more", more));
    }
    if (dimension.choices.size() > 1)
      listed_fields.push_back(head_of(*dimension.field) + " " + joined(values));
  }
  std::string text = fmt::format("{} candidates", grouped(candidates.count()));
  if (candidates.machines().size() > 1)
    text += fmt::format(" on {}", counted(candidates.machines().size(), "machine"));
  for (const std::string& each : listed_fields) text += "\n          " + each;
  return text;
}

std::string proof_text(const SearchReport& report) {
  const SearchPlanned& planned = report.planned;
  if (report.state.phase != SearchPhase::done) {
    std::string text = fmt::format("Stopped while {}, {} of it done: the best so far",
                                   name_of(report.state.phase), percent(report.progress.share));
    if (report.progress.bound && report.progress.best)
      text += fmt::format(
          "; no other can be more than {} better",
          percent(std::max(0.0, 1 - *report.progress.bound / report.progress.best->objective)));
    return text + ".\n";
  }
  if (planned.prove)
    return "Proven: of all candidates, simulated (fluid) where a bound did not exclude them, none "
           "is "
           "better than the first.\n";
  if (planned.simulate == 0)
    return "Proven: by the analytic fidelity no candidate is better than the first.\n";
  return fmt::format(
      "Proven: by the analytic fidelity no candidate is better than the {} of which "
      "these are the best when simulated (fluid).\n",
      grouped(std::min<std::uint64_t>(planned.simulate, report.state.estimated.size())));
}

std::string search_report_text(const SearchReport& report) {
  std::string text;
  const ReportInput about = report_header(report.machines.inputs.front());
  text += fmt::format("Model     {}\n", about.model);
  text += fmt::format("Machine   {}\n", report.machines.names.size() > 1
                                            ? counted(report.machines.names.size(), "machine")
                                            : about.topology);
  text += fmt::format("Costs     {}\nSearched  {}\n\n", about.costs, space_text(report.candidates));
  text += table_text(report) + alike_text(report) + proof_text(report) + memory_text(report);
  if (report.advice) text += "\n" + advice_text(*report.advice);
  return text;
}

std::string nothing_text(const SearchReport& report) {
  const SearchCounts& counts = report.state.counts;
  std::string text =
      fmt::format("none of {} candidates will do", grouped(report.candidates.count()));
  if (counts.too_large > 0)
    text += fmt::format(
        "\n  {} do not fit in memory: free parallelism.recompute, sharding or "
        "pipeline, or give more hosts",
        grouped(counts.too_large));
  if (counts.beyond > 0)
    text += fmt::format(
        "\n  {} exceed the budget or the deadline, even by a lower bound or when "
        "predicted",
        grouped(counts.beyond));
  if (counts.failed > 0)
    text += fmt::format("\n  {} cannot be priced, such as {}", grouped(counts.failed),
                        report.state.failure);
  return text;
}

}  // namespace quintet
