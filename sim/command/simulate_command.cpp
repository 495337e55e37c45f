#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>

#include "sim/answer/answer_json.h"
#include "sim/answer/pictures/plan_page.h"
#include "sim/base/progress_line.h"
#include "sim/command/analytic_steps.h"
#include "sim/command/commands.h"
#include "sim/command/compare_many.h"
#include "sim/command/inputs.h"
#include "sim/command/money_wish.h"
#include "sim/command/output_files.h"
#include "sim/command/plan_traces.h"
#include "sim/command/predicted_plan.h"
#include "sim/command/report.h"
#include "sim/command/report_header.h"
#include "sim/command/simulate_options.h"
#include "sim/plan/plan_file.h"
#include "sim/timeline/chosen_ranks.h"
#include "sim/usage/complain.h"

namespace quintet {

namespace {

// With --json also as JSON, so that a program need not read sentences.
ExitCode refuse(const SimulateArguments& arguments, const Error& error) {
  if (arguments.json) std::fputs(error_json(error).c_str(), stdout);
  return complain(error);
}

ExitCode refuse_all(const SimulateArguments& arguments, const std::vector<BadPlan>& bad) {
  std::vector<JsonValue> entries;
  for (const BadPlan& each : bad) {
    entries.push_back(error_entry(each.file, each.error));
    complain(each.error);
  }
  if (arguments.json) std::fputs(errors_json(entries).c_str(), stdout);
  return ExitCode::wrong_input;
}

ExitCode print_programs(const Inputs& inputs) {
  for (const PlanInput& input : inputs.plans) {
    const Result<Program> program =
        checked_program(inputs.model, input.plan, inputs.topology, inputs.costs, inputs.compile);
    if (!program) return complain(with_files(program.error(), input, inputs));
    std::fputs(program_text(*program).c_str(), stdout);
  }
  return ExitCode::done;
}

PredictOptions predict_options(const SimulateArguments& arguments) {
  PredictOptions options;
  options.folding = arguments.unfolded ? Folding::none : Folding::equivalent;
  options.attention = arguments.full_attention ? AttentionCount::full : AttentionCount::causal_half;
  if (arguments.trace.file.empty() && !arguments.pictures.wanted())
    options.shown = ShownTimeline::without_repetition;
  return options;
}

bool fits(const NamedPrediction& plan) {
  const MemoryReport& memory = plan.prediction.memory;
  return memory.capacity.value <= 0 || verdict(memory) == MemoryVerdict::fits;
}

// A plan that was refused weighs more than one that does not fit.
ExitCode verdict_of(const ReportInput& report) {
  if (!report.bad.empty()) return ExitCode::wrong_input;
  const bool all = std::all_of(report.plans.begin(), report.plans.end(), fits);
  return all ? ExitCode::done : ExitCode::answer_is_no;
}

void print_report(const SimulateArguments& arguments, const ReportInput& report) {
  const MemoryShown memory = arguments.whole_memory ? MemoryShown::all : MemoryShown::most_telling;
  const std::string text = arguments.json  ? report_json(report)
                           : arguments.csv ? report_csv(report)
                                           : report_text(report, memory);
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);  // before what is said of it
  for (const BadPlan& bad : report.bad) complain(bad.error);
}

// The fastest plan that fits is written, where there are several.
std::optional<Error> write_best(const SimulateArguments& arguments, const ReportInput& report,
                                const std::vector<PlanInput>& plans) {
  if (arguments.output.empty()) return std::nullopt;
  const NamedPrediction* best = nullptr;
  for (const NamedPrediction& plan : report.plans)
    if (fits(plan) && (best == nullptr || mean_step(plan.answer) < mean_step(best->answer)))
      best = &plan;
  for (const PlanInput& input : plans)
    if (best != nullptr && input.plan.name == best->name)
      return write_file(arguments.output, plan_text(input.plan));
  return std::nullopt;
}

std::optional<Error> write_page(const SimulateArguments& arguments, const ReportInput& report,
                                const Topology& topology) {
  if (!arguments.pictures.wanted()) return std::nullopt;
  std::vector<std::string> names;
  for (const NamedPrediction& plan : report.plans) names.push_back(plan.name);
  names = distinct_ends(names);
  std::vector<DrawnPlan> plans;
  for (std::size_t i = 0; i < names.size(); ++i)
    plans.push_back({names[i], report.plans[i].prediction, report.plans[i].answer});
  const std::vector<std::string> lines{"Model: " + report.model, "Machine: " + report.topology,
                                       "Costs: " + report.costs};
  return write_pictures(arguments.pictures, plans_page(lines, plans, topology));
}

ExitCode simulate_many(const SimulateArguments& arguments, const std::vector<Inputs>& inputs,
                       const FieldChanges& prices) {
  ManyWish wish{{predict_options(arguments), arguments.threads, {}},
                arguments.json  ? ManyAs::json
                : arguments.csv ? ManyAs::csv
                                : ManyAs::text,
                arguments.trace.quiet,
                arguments.output};
  const Result<std::optional<RunLength>> run = run_asked(arguments.run);
  if (!run) return refuse(arguments, run.error());
  wish.asked.run = *run;
  for (const Inputs& each : inputs) {
    if (!arguments.money.money) break;
    Result<std::optional<Bill>> bill = bill_wished(arguments.money, prices, each.topology, false);
    if (!bill) return refuse(arguments, bill.error());
    wish.asked.bills.push_back(std::move(*bill));
  }
  return compare_many(wish, inputs);
}

ExitCode simulate_each(const SimulateArguments& arguments, const Inputs& inputs,
                       const FieldChanges& prices) {
  ReportInput report = report_header(inputs);
  if (inputs.plans.empty()) return refuse_all(arguments, report.bad);
  const auto traces = trace_files(arguments.trace.file, inputs.plans);
  if (!traces) return refuse(arguments, traces.error());
  if (const auto error = missing_rank(arguments.trace, inputs.plans))
    return refuse(arguments, *error);
  const Result<PublishedResiduals> residuals = shipped_residuals();
  if (!residuals) return refuse(arguments, residuals.error());
  AnswerContext context{inputs.topology, inputs.costs, inputs.stack, *residuals, {}};
  const Result<std::optional<RunLength>> run = run_asked(arguments.run);
  if (!run) return refuse(arguments, run.error());
  context.run = *run;
  const Result<std::optional<Bill>> bill =
      bill_wished(arguments.money, prices, inputs.topology, arguments.run.wanted());
  if (!bill) return refuse(arguments, bill.error());
  context.bill = *bill;
  report.money = arguments.money.money;
  report.residuals = residuals->source;
  ProgressLine progress(arguments.trace.quiet ? ProgressShown::never : ProgressShown::on_terminal);
  const Asked asked{predict_options(arguments),
                    arguments.assumptions,
                    arguments.trace.quiet,
                    inputs,
                    context,
                    progress};
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::filesystem::path> files;
  for (std::size_t i = 0; i < inputs.plans.size(); ++i) {
    const PlanInput& input = inputs.plans[i];
    Result<NamedPrediction> plan = predict_plan(asked, input);
    if (!plan) {
      report.bad.push_back({input.file, plan.error()});
      continue;
    }
    report.plans.push_back(std::move(*plan));
    if (!traces->empty()) files.push_back((*traces)[i]);
  }
  if (report.plans.empty()) return refuse_all(arguments, report.bad);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  print_report(arguments, report);
  if (!arguments.trace.quiet)
    std::fprintf(stderr, "Predicted %s in %.2f s.\n", counted(report.plans.size(), "plan").c_str(),
                 took.count());
  if (const auto error = write_best(arguments, report, inputs.plans)) return complain(*error);
  if (const auto error = write_page(arguments, report, inputs.topology)) return complain(*error);
  if (const auto error = write_traces(arguments.trace, report, files)) return complain(*error);
  return verdict_of(report);
}

// A plan may be written onto the one that was read; all else is another kind of file.
std::optional<Error> destructive(const SimulateArguments& arguments) {
  const InputNames& names = arguments.inputs;
  std::vector<std::string> read = names.plans;
  read.insert(read.end(), names.topologies.begin(), names.topologies.end());
  read.insert(read.end(), {names.model, names.topology, names.costs, names.stack});
  const NamedOutput trace{"--trace", arguments.trace.file}, page{"--html", arguments.pictures.html},
      plan{"-o", arguments.output};
  for (const NamedOutput& each : {trace, page})
    if (auto error = onto_input(each.option, each.file, read)) return error;
  return one_place({trace, page, plan});
}

std::optional<Error> wrong_together(const SimulateArguments& arguments, bool several) {
  if (auto error = wrong_with_faults(arguments, several)) return error;
  if (auto error = destructive(arguments)) return error;
  if (!arguments.output.empty())
    if (auto error = no_place("-o", arguments.output)) return error;
  if (!several) return no_place_for(arguments.pictures);
  if (!arguments.trace.file.empty())
    return Error{"--trace", "is of one plan; give one value of each field, and one machine"};
  if (arguments.pictures.wanted())
    return Error{arguments.pictures.html.empty() ? "--svg" : "--html",
                 "is of plans in detail; give one value of each field, and one machine"};
  if (arguments.print_program)
    return Error{"--print-program", "is of one plan; give one value of each field, one machine"};
  return std::nullopt;
}

ExitCode simulate_plans(const SimulateArguments& arguments) {
  const Result<AskedFields> settings = asked_fields(arguments.flags);
  if (!settings) return refuse(arguments, settings.error());
  if (arguments.inputs.plans.empty() && !says_of_plan(*settings))
    return refuse(arguments,
                  {"",
                   "plans is required: plan files or names of shipped plans, or a plan in "
                   "options such as --tensor 8 --global-batch 512 --sequence 8192\n"
                   "See quintet simulate --help."});
  Result<std::vector<AskedChanges>> asked = combinations(*settings);
  if (!asked) return refuse(arguments, asked.error());
  const bool several = asked->size() > 1 || arguments.inputs.topologies.size() > 1;
  if (const auto error = wrong_with_analytic(arguments)) return refuse(arguments, *error);
  if (const auto error = wrong_together(arguments, several)) return refuse(arguments, *error);
  if (const auto error = wrong_money(arguments.money, *asked, arguments.run.wanted()))
    return refuse(arguments, *error);
  const FieldChanges prices = asked->front().prices;
  InputNames names = arguments.inputs;
  names.asked = std::move(*asked);
  FaultWish wish = arguments.faults;
  Result<FaultPlan> faults = wish.asked() ? faults_wished(wish) : FaultPlan{};
  if (!faults) return refuse(arguments, faults.error());
  const Result<std::optional<RunLength>> run = run_asked(arguments.run);
  if (!run) return refuse(arguments, run.error());
  wish.run = *run;
  const Result<std::vector<Inputs>> inputs = read_inputs(names);
  if (!inputs) return refuse(arguments, inputs.error());
  if (arguments.fidelity == "analytic") return simulate_analytic(arguments, *inputs);
  if (several) return simulate_many(arguments, *inputs, prices);
  if (arguments.faults.asked()) {
    if (!inputs->front().refused.empty())
      return refuse(arguments, inputs->front().refused.front().error);
    return simulate_faulted(wish, *faults, inputs->front(), predict_options(arguments),
                            arguments.json ? FaultedAs::json : FaultedAs::text);
  }
  if (arguments.print_program && inputs->front().refused.empty())
    return print_programs(inputs->front());
  return simulate_each(arguments, inputs->front(), prices);
}

}  // namespace

std::unique_ptr<Verb> simulate_verb() {
  return make_verb<SimulateArguments>(
      {"simulate", "Predict a training step and explain where its time goes",
       "Examples:\n"
       "  quintet simulate --model llama-3-70b --topology dgx-h100 --hosts 16 --tensor 8 "
       "--pipeline 2 --zero 1 --sp --global-batch 512 --sequence 8192\n"
       "  quintet simulate --model gpt2 --topology dgx-h100-1 --tensor 1,2,4 --global-batch 64 "
       "--sequence 1024\n"
       "  quintet simulate llama-3-70b-1024-h100-tp8-pp4 --model llama-3-70b --topology "
       "dgx-h100-1024\n"
       "  quintet simulate toy-pipeline-1f1b toy-pipeline-warm-up --model toy-pipeline --topology "
       "pipeline-4-20ms --costs toy-pipeline --trace step.json\n"
       "Exit: 0 done, 1 a plan (of lists: every plan) does not fit in memory, 2 wrong usage or "
       "input; of several plans the others are answered all the same."},
      {simulate_options, simulate_plans});
}

}  // namespace quintet
