#include "sim/command/analytic_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "sim/analytic/analytic_model.h"
#include "sim/answer/answer_json.h"
#include "sim/base/shown_text.h"
#include "sim/base/text_table.h"
#include "sim/json/json_value.h"
#include "sim/usage/complain.h"

namespace quintet {

namespace {

struct AnalyticPlan {
  std::string name, machine;
  AnalyticStep step;
};

struct Answers {
  std::vector<AnalyticPlan> plans;
  std::vector<JsonValue> refused;
};

void refuse(const std::string& file, const Error& error, Answers& answers) {
  complain(error);
  answers.refused.push_back(error_entry(file, error));
}

Answers answers_of(const std::vector<Inputs>& inputs) {
  Answers answers;
  for (const Inputs& each : inputs) {
    for (const RefusedPlan& plan : each.refused) refuse(plan.file, plan.error, answers);
    AnalyticModel model(each.model, each.topology, each.costs, each.compile);
    for (const PlanInput& input : each.plans) {
      const Result<AnalyticStep> step = model.step(input.plan);
      if (step)
        answers.plans.push_back({input.plan.name, each.topology.name, *step});
      else
        refuse(input.file, {input.file + ": " + step.error().where, step.error().what}, answers);
    }
  }
  return answers;
}

JsonValue json_of(const AnalyticPlan& plan) {
  const AnalyticStep& step = plan.step;
  JsonValue exposed = JsonValue::object();
  for (int axis = 0; axis < axis_count; ++axis)
    exposed[name_of(Axis{axis})] = step.exposed[static_cast<std::size_t>(axis)].value;
  return {{"name", plan.name},
          {"machine", plan.machine},
          {"step_s", step.step.value},
          {"compute_s", step.compute.value},
          {"exposed_s", exposed},
          {"bubble_s", step.bubble.value},
          {"other_s", step.other.value},
          {"memory_B", step.memory.value},
          {"capacity_B", step.capacity.value},
          {"fits", step.fits}};
}

std::string json_text(const Answers& answers) {
  JsonValue plans = JsonValue::array();
  for (const AnalyticPlan& plan : answers.plans) plans.push_back(json_of(plan));
  JsonValue all{{"schema_version", 2}, {"fidelity", "analytic"}, {"plans", plans}};
  if (!answers.refused.empty()) all["errors"] = answers.refused;
  return all.dump(2) + "\n";
}

std::string table(const std::vector<AnalyticPlan>& plans) {
  std::vector<TextRow> rows{{"plan", "step s", "compute", "tensor", "data", "pipeline", "bubble",
                             "other", "GiB", "fits"}};
  constexpr double bytes_per_gibibyte = 1073741824.0;
  for (const AnalyticPlan& plan : plans) {
    const AnalyticStep& step = plan.step;
    const auto percentage = [&](Seconds part) { return percent(part / step.step); };
    const auto axis = [&](Axis which) {
      return percentage(step.exposed[static_cast<std::size_t>(which)]);
    };
    rows.push_back({shown(plan.name), fixed(step.step.value, decimals_for(step.step.value)),
                    percentage(step.compute), axis(Axis::tensor), axis(Axis::data),
                    axis(Axis::pipeline), percentage(step.bubble), percentage(step.other),
                    fixed(step.memory.value / bytes_per_gibibyte, 2), step.fits ? "yes" : "no"});
  }
  return aligned(rows);
}

}  // namespace

std::optional<Error> wrong_with_analytic(const SimulateArguments& arguments) {
  if (arguments.fidelity != "analytic") return std::nullopt;
  struct Wrong {
    const char* option;
    bool given;
    const char* why;
  };
  for (const Wrong& each : {
           Wrong{"--trace", !arguments.trace.file.empty(), "shows a timeline"},
           Wrong{"--html and --svg", arguments.pictures.wanted(), "draw a timeline"},
           Wrong{"--faults", arguments.faults.asked(), "is a run of steps that are walked"},
           Wrong{"--assumptions", arguments.assumptions, "walks the step again and again"},
           Wrong{"--money", arguments.money.money, "needs the power of a walked step"},
           Wrong{"--steps, --samples and --tokens", arguments.run.wanted(),
                 "are of whole runs, which have walked steps"},
           Wrong{"--csv", arguments.csv, "has columns of a walked step; --json has this one's"},
           Wrong{"--memory", arguments.whole_memory, "lists all stages; this has the fullest"},
           Wrong{"--output", !arguments.output.empty(), "writes the fastest of walked plans"},
           Wrong{"--print-program", arguments.print_program, "prints what is walked"},
           Wrong{"--unfolded", arguments.unfolded, "says how a step is walked"},
           Wrong{"--full-attention", arguments.full_attention, "is of MFU and HFU"},
       })
    if (each.given)
      return Error{each.option, fmt::format("{}, and --fidelity analytic has none of that: leave "
                                            "one of them out",
                                            each.why)};
  return std::nullopt;
}

ExitCode simulate_analytic(const SimulateArguments& arguments, const std::vector<Inputs>& inputs) {
  const Answers answers = answers_of(inputs);
  const std::string text = arguments.json          ? json_text(answers)
                           : answers.plans.empty() ? ""
                                                   : table(answers.plans);
  std::fputs(text.c_str(), stdout);
  if (!answers.refused.empty()) return ExitCode::wrong_input;
  const bool any = std::any_of(answers.plans.begin(), answers.plans.end(),
                               [](const AnalyticPlan& plan) { return plan.step.fits; });
  const bool all = std::all_of(answers.plans.begin(), answers.plans.end(),
                               [](const AnalyticPlan& plan) { return plan.step.fits; });
  const bool list = inputs.size() > 1 || answers.plans.size() > arguments.inputs.plans.size();
  return (list ? any : all) ? ExitCode::done : ExitCode::answer_is_no;
}

}  // namespace quintet
