#include "sim/advice/advice_json.h"
#include "sim/command/report_header.h"
#include "sim/command/search/search_report.h"
#include "sim/json/json_value.h"
#include "sim/plan/plan_file.h"
#include "sim/search/search_fields.h"

namespace quintet {
namespace {

JsonValue known(double value) {
  if (value > 0) return value;
  return nullptr;
}

JsonValue choices_json(const SearchReport& report, const FoundPlan& plan) {
  JsonValue json = JsonValue::object();
  const std::vector<Dimension>& dimensions = report.candidates.space().dimensions;
  for (std::size_t i = 0; i < dimensions.size(); ++i)
    if (dimensions[i].choices.size() > 1 && !plan.choices[i].empty())
      json[dimensions[i].field->path] = plan.choices[i];
  return json;
}

JsonValue plan_json(const SearchReport& report, const FoundPlan& plan) {
  const StepEstimate& estimate = plan.found.estimate;
  return {{"name", plan.plan.name},
          {"candidate", plan.found.number},
          {"objective", plan.found.objective},
          {"step_s", estimate.step.value},
          {"mfu", plan.answer.summary.mfu},
          {"memory_bytes", estimate.memory.value},
          {"capacity_bytes", known(estimate.capacity.value)},
          {"memory_verdict", name_of(plan.answer.fit)},
          {"energy_j", known(plan.worth.energy.value)},
          {"step_money", known(plan.worth.step_money.value)},
          {"hour_money", known(plan.worth.hour_money.value)},
          {"run_s", known(plan.worth.run.value)},
          {"run_money", known(plan.worth.run_money.value)},
          {"machine", report.machines.names[plan.machine]},
          {"choices", choices_json(report, plan)},
          {"plan", JsonValue::parse(plan_text(plan.plan))}};
}

JsonValue fields_json(const Candidates& candidates) {
  JsonValue all = JsonValue::array();
  for (const Dimension& dimension : candidates.space().dimensions) {
    std::vector<std::string> values;
    for (const Choice& choice : dimension.choices) values.push_back(choice.text);
    all.push_back({{"field", dimension.field->path}, {"values", values}});
  }
  return all;
}

}  // namespace

std::string search_report_json(const SearchReport& report) {
  const ReportInput about = report_header(report.machines.inputs.front());
  const bool done = report.state.phase == SearchPhase::done;
  const bool simulates = report.planned.simulate > 0 || report.planned.prove;
  JsonValue json{{"schema_version", 1},
                 {"model", about.model},
                 {"machines", report.machines.names},
                 {"machines_left_out", report.machines.left_out},
                 {"candidates", report.candidates.count()},
                 {"fields", fields_json(report.candidates)},
                 {"objective", name_of(report.wanted.objective)},
                 {"phase", name_of(report.state.phase)},
                 {"fidelity", simulates ? "fluid" : "analytic"},
                 {"proven", !done                  ? "nothing"
                            : report.planned.prove ? "fluid"
                                                   : "analytic"},
                 {"bound", report.progress.bound ? JsonValue(*report.progress.bound) : nullptr},
                 {"plans", JsonValue::array()}};
  for (const FoundPlan& plan : report.plans) json["plans"].push_back(plan_json(report, plan));
  if (report.advice) json["advice"] = advice_json(*report.advice);
  return json.dump(2) + "\n";
}

}  // namespace quintet
