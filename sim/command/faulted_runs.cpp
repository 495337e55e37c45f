#include "sim/command/faulted_runs.h"

#include <fmt/format.h>

#include <cstdio>
#include <vector>

#include "sim/base/text_table.h"
#include "sim/command/report_header.h"
#include "sim/json/json_value.h"
#include "sim/simulate/run/adapting_run.h"
#include "sim/simulate/step_numbers.h"
#include "sim/topology/faults/never_come.h"
#include "sim/usage/complain.h"
#include "sim/usage/shipped.h"

namespace quintet {
namespace {

// Steps that follow each other and are alike.
struct Rows {
  std::size_t first = 0, last = 0;  // index into FaultedRun::steps
};

bool alike(const RunStep& one, const RunStep& next) {
  return next.events.empty() && one.time == next.time && one.plan == next.plan &&
         one.wrong == next.wrong;
}

std::vector<Rows> rows_of(const std::vector<RunStep>& steps) {
  std::vector<Rows> rows;
  for (std::size_t step = 0; step < steps.size(); ++step) {
    if (rows.empty() || !alike(steps[rows.back().last], steps[step])) rows.push_back({step, step});
    rows.back().last = step;
  }
  return rows;
}

std::string numbers(const RunStep& first, const RunStep& last) {
  return first.step == last.step ? fmt::to_string(first.step)
                                 : fmt::format("{}-{}", first.step, last.step);
}

std::string milliseconds(Seconds time) {
  return fixed(time.value * 1e3, 1) + " ms";
}

std::string against(Seconds time, Seconds usual) {
  return time == usual ? "" : signed_fixed(100 * (time / usual - 1), 1) + " %";
}

std::string event_text(const RunEvent& event) {
  return event.what + (event.into_step > Seconds{} ? " at " + milliseconds(event.into_step) : "");
}

std::string events_text(const std::vector<RunEvent>& events) {
  std::string text;
  for (const RunEvent& event : events) text += (text.empty() ? "" : "; ") + event_text(event);
  return text;
}

std::string end_text(const RunEnd& end) {
  std::string text = fmt::format("The run ends in step {}, {:.3f} s after it began: {}.\n",
                                 end.step, end.at.value, end.why);
  if (!end.events.empty()) text += "  " + events_text(end.events) + "\n";
  for (const std::string& each : end.standing) text += "  " + each + "\n";
  return text;
}

JsonValue events_json(const std::vector<RunEvent>& events) {
  JsonValue list = JsonValue::array();
  for (const RunEvent& event : events)
    list.push_back({{"into_step_s", event.into_step.value}, {"what", event.what}});
  return list;
}

JsonValue end_json(const std::optional<RunEnd>& end) {
  if (!end) return nullptr;
  return {{"step", end->step},
          {"at_s", end->at.value},
          {"why", end->why},
          {"events", events_json(end->events)},
          {"standing", end->standing}};
}

Seconds length(const FaultedRun& run) {
  if (run.end) return run.end->at;
  return run.steps.empty() ? Seconds{} : run.steps.back().began + run.steps.back().time;
}

// What never came, of a run that went on to its last step.
std::vector<std::string> remarks_of(const FaultPlan& faults, const FaultedRun& run) {
  if (run.end) return {};
  return never_come(faults, static_cast<int>(run.steps.size()), length(run));
}

JsonValue run_json(const std::string& plan, const FaultPlan& faults, const FaultedRun& run) {
  JsonValue steps = JsonValue::array();
  for (const Rows& rows : rows_of(run.steps)) {
    const RunStep& first = run.steps[rows.first];
    steps.push_back({{"first", first.step},
                     {"last", run.steps[rows.last].step},
                     {"begins_s", first.began.value},
                     {"step_s", first.time.value},
                     {"usual_s", first.usual.value},
                     {"events", events_json(first.events)},
                     {"wrong", first.wrong},
                     {"plan", run.plans[static_cast<std::size_t>(first.plan)]}});
  }
  return {{"plan", plan},
          {"faults", faults.name},
          {"source", faults.source},
          {"remarks", remarks_of(faults, run)},
          {"usual_step_s", run.usual.value},
          {"usual_step_between_s", run.usual_between.value},
          {"walks", run.walks},
          {"run_s", length(run).value},
          {"steps", steps},
          {"end", end_json(run.end)}};
}

// Tokens and samples as whole steps of this plan; steps with faults are walked one by one where
// they differ.
Result<int> steps_of_run(const FaultWish& wish, const Plan& plan, const Inputs& inputs,
                         const PredictOptions& options) {
  constexpr int usual_steps = 20;
  if (!wish.run) return usual_steps;
  const int ranks_per_host = static_cast<int>(inputs.topology.hosts.front().gpus.size());
  const StepNumbers numbers =
      step_numbers(inputs.model, plan, dealt_samples(plan.parallelism, ranks_per_host),
                   inputs.topology, options);
  const double steps =
      steps_of(*wish.run, {static_cast<double>(numbers.tokens), samples_of_step(plan)});
  if (steps > FaultWish::most_steps)
    return Error{fmt::format("--{}", name_of(wish.run->unit)),
                 fmt::format("with --faults a run has up to {} steps; these would be {:.0f}",
                             FaultWish::most_steps, steps)};
  return static_cast<int>(steps);
}

// CPU delegates send again by another NIC, and so do this engine's ranks between hosts without GPUs
// (engine/network/routes); NCCL and UCX keep the one they have.
NicLoss nic_loss_of(const Plan& plan, const Topology& topology) {
  const bool delegated = plan.host_net.pipeline_delivery == Delivery::delegated;
  return delegated || topology.gpu_specs.empty() ? NicLoss::next_nic : NicLoss::stands_still;
}

// What this engine's ranks do between hosts without GPUs.
void as_the_engine(const Topology& topology, FaultedRunOptions& how) {
  if (!topology.gpu_specs.empty()) return;
  how.silence = Seconds{5.0};        // Pulse::silence, engine/launch/rendezvous
  how.resend_after = Seconds{0.15};  // RouteOptions::silent_after, engine/network/routes
}

}  // namespace

Options faulted_run_options(FaultWish& into) {
  using enum Need;
  return {{.names = "--faults",
           .into = &into.file,
           .does = "Simulate a run of --steps (default: 20) on a machine of which parts slow down, "
                   "fail and come "
                   "back as this file says (quintet plan fields faults)",
           .type = "FILE"},
          {.names = "--deadline",
           .into = &into.deadline,
           .does = "Seconds after which a communication, and with it the run of --faults, has "
                   "failed; hosts without GPUs that a failure cuts off are missed after 5 s",
           .type = "SECONDS",
           .need = has_default,
           .check = NumberRange{1e-3, 1e6}},
          {.names = "--adapt",
           .into = &into.adapt,
           .does = "Between steps of the run of --faults, change schedule and delegates to the "
                   "fastest for the links between stages as they are found to be"}};
}

std::string faulted_run_text(const std::string& plan, const FaultPlan& faults,
                             const FaultedRun& run) {
  std::vector<TextRow> table{{"steps", "time", "against usual", "events"}};
  for (const Rows& rows : rows_of(run.steps)) {
    const RunStep& first = run.steps[rows.first];
    std::string events = events_text(first.events);
    if (rows.first > 0 && first.plan != run.steps[rows.first - 1].plan)
      events += (events.empty() ? "" : "; ") + run.plans[static_cast<std::size_t>(first.plan)];
    table.push_back({numbers(first, run.steps[rows.last]), milliseconds(first.time),
                     against(first.time, first.usual), "  " + events});
  }
  // Columns but the first stand to the right; what happened reads better from the left.
  std::size_t widest = 0;
  for (const TextRow& row : table) widest = std::max(widest, row.back().size());
  for (TextRow& row : table) row.back().resize(widest, ' ');
  Seconds undisturbed;
  for (const RunStep& step : run.steps) undisturbed += step.usual;
  std::string text = fmt::format("{} with {}\n{}", plan, faults.name, aligned(table));
  text += fmt::format(
      "{} in {:.3f} s; without faults {:.3f} s; simulated: {} of step, which the others "
      "are like\n",
      counted(run.steps.size(), "step"), length(run).value, undisturbed.value,
      counted(static_cast<std::size_t>(run.walks), "kind"));
  return run.end ? text + end_text(*run.end) : text;
}

std::string faulted_run_json(const std::string& plan, const FaultPlan& faults,
                             const FaultedRun& run) {
  return run_json(plan, faults, run).dump(2) + "\n";
}

Result<FaultPlan> faults_wished(const FaultWish& wish) {
  const Result<std::filesystem::path> file = find_file(FileKind::faults, wish.file);
  if (!file) return file.error();
  return read_faults(*file);
}

ExitCode simulate_faulted(const FaultWish& wish, const FaultPlan& faults, const Inputs& inputs,
                          const PredictOptions& options, FaultedAs as) {
  FaultedRunOptions how;
  how.deadline = Seconds{wish.deadline};
  as_the_engine(inputs.topology, how);
  how.predict = options;
  how.predict.compile = inputs.compile;
  for (const std::string& remark : inputs.remarks)
    std::fputs(("Beware: " + remark + "\n").c_str(), stderr);
  ExitCode code = ExitCode::done;
  JsonValue runs = JsonValue::array();
  for (const PlanInput& input : inputs.plans) {
    how.nic_loss = nic_loss_of(input.plan, inputs.topology);
    const Result<int> steps = steps_of_run(wish, input.plan, inputs, how.predict);
    if (!steps) return complain(steps.error());
    how.steps = *steps;
    const FaultedJob job{inputs.model, input.plan, inputs.topology, inputs.costs, faults};
    if (wish.adapt) {
      Result<NextPlan> next = adapting(job, how.predict);
      if (!next) return complain(next.error());
      how.next_plan = std::move(*next);
    }
    const Result<FaultedRun> run = faulted_run(job, how);
    if (!run) return complain(run.error());
    if (run->end) code = ExitCode::answer_is_no;
    for (const std::string& remark : remarks_of(faults, *run))
      std::fputs((faults.file + ": " + remark + "\n").c_str(), stderr);
    if (as == FaultedAs::json)
      runs.push_back(run_json(input.plan.name, faults, *run));
    else
      std::fputs(faulted_run_text(input.plan.name, faults, *run).c_str(), stdout);
  }
  if (as == FaultedAs::json)
    std::fputs((JsonValue{{"schema_version", 1}, {"runs", runs}}.dump(2) + "\n").c_str(), stdout);
  return code;
}

}  // namespace quintet
