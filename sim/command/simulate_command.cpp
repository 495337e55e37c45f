#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>

#include "sim/answer/answer_json.h"
#include "sim/answer/assumptions.h"
#include "sim/base/progress_line.h"
#include "sim/command/commands.h"
#include "sim/command/inputs.h"
#include "sim/command/output_files.h"
#include "sim/command/plan_traces.h"
#include "sim/command/report.h"
#include "sim/model/parameters.h"
#include "sim/timeline/chosen_ranks.h"
#include "sim/usage/complain.h"
#include "sim/usage/shipped.h"

namespace quintet {

namespace {

struct SimulateArguments {
  InputNames inputs;
  TraceWish trace;
  std::string tokens;
  bool csv = false, assumptions = false;
  bool json = false, print_program = false, unfolded = false;
  bool full_attention = false, whole_memory = false;
};

// "70.554 billion"
std::string count_text(std::int64_t count) {
  if (count >= 1'000'000'000)
    return fmt::format("{:.3f} billion", static_cast<double>(count) / 1e9);
  if (count >= 1'000'000) return fmt::format("{:.3f} million", static_cast<double>(count) / 1e6);
  return fmt::format("{}", count);
}

std::string counted(std::size_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

ReportInput report_header(const Inputs& inputs) {
  const Topology& topology = inputs.topology;
  ReportInput report;
  report.model = fmt::format("{}, {} parameters", inputs.model.name,
                             count_text(total_parameters(inputs.model)));
  report.topology =
      fmt::format("{}: {} x {} on {}", topology.name, rank_slots(topology).size(),
                  topology.gpu_specs.empty() ? "CPU" : topology.gpu_specs.front().name,
                  counted(topology.hosts.size(), "host"));
  report.costs = inputs.costs.name;
  report.stack = inputs.stack;
  for (const RefusedPlan& refused : inputs.refused)
    report.bad.push_back({refused.file, refused.error});
  return report;
}

// Nothing where they do not come with this copy: predictions then know no errors of others.
Result<PublishedResiduals> shipped_residuals() {
  const std::filesystem::path file = data_directory() / "traces/residuals.json";
  std::error_code unreadable;
  if (!std::filesystem::exists(file, unreadable)) return PublishedResiduals{};
  return read_residuals(file);
}

// With --json also as JSON, so that a program need not read sentences.
ExitCode refuse(const SimulateArguments& arguments, const Error& error) {
  if (arguments.json) std::fputs(error_json(error).c_str(), stdout);
  return complain(error);
}

// The cost table is named by its name; the user knows it by its file.
Error with_files(const Error& error, const PlanInput& plan, const Inputs& inputs) {
  return {plan.file + " with " + inputs.costs_file, error.text()};
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

std::vector<Bytes> carried_by_links(const Prediction& prediction) {
  std::vector<Bytes> carried;
  for (const std::int32_t load : prediction.load_of_link)
    carried.push_back(load < 0 ? Bytes{}
                               : Bytes{prediction.loads[static_cast<std::size_t>(load)].bytes});
  return carried;
}

// All that is the same of every plan.
struct Asked {
  const SimulateArguments& arguments;
  const Inputs& inputs;
  const AnswerContext& context;
  ProgressLine& progress;
};

PredictOptions predict_options(const Asked& asked, const PlanInput& input) {
  PredictOptions options;
  options.folding = asked.arguments.unfolded ? Folding::none : Folding::equivalent;
  options.attention =
      asked.arguments.full_attention ? AttentionCount::full : AttentionCount::causal_half;
  options.compile = asked.inputs.compile;
  options.progress = [&](double share) { asked.progress.show(input.plan.name, share); };
  return options;
}

std::vector<AssumptionEffect> effects_of(const Asked& asked, const PlanInput& input,
                                         const Prediction& prediction) {
  const Inputs& inputs = asked.inputs;
  const bool between_hosts = std::any_of(prediction.move_bases.begin(), prediction.move_bases.end(),
                                         [](const MoveBasis& each) { return each.between_hosts; });
  return assumption_effects(
      prediction.summary.step, variants_of(input.plan, inputs.costs, between_hosts),
      [&](const Variant& variant) -> Result<Seconds> {
        const Result<Prediction> other = predict(inputs.model, variant.plan, inputs.topology,
                                                 variant.costs, predict_options(asked, input));
        if (!other) return other.error();
        return other->summary.step;
      });
}

Result<NamedPrediction> predict_plan(const Asked& asked, const PlanInput& input) {
  const Inputs& inputs = asked.inputs;
  const PredictOptions options = predict_options(asked, input);
  Result<Prediction> prediction =
      predict(inputs.model, input.plan, inputs.topology, inputs.costs, options);
  asked.progress.clear();
  if (!prediction) return with_files(prediction.error(), input, inputs);
  std::vector<BusyLinks> busiest =
      busiest_links(inputs.topology, carried_by_links(*prediction), seconds(prediction->mean.step));
  Answer answer = answer_of(input.plan, input.file, *prediction, asked.context);
  if (asked.arguments.assumptions) answer.assumptions = effects_of(asked, input, *prediction);
  asked.progress.clear();
  return NamedPrediction{input.plan.name, std::move(*prediction), std::move(busiest),
                         std::move(answer)};
}

// A plan that was refused weighs more than one that does not fit.
ExitCode verdict_of(const ReportInput& report) {
  if (!report.bad.empty()) return ExitCode::wrong_input;
  for (const NamedPrediction& plan : report.plans)
    if (plan.prediction.memory.capacity.value > 0 &&
        verdict(plan.prediction.memory) == MemoryVerdict::does_not_fit)
      return ExitCode::answer_is_no;
  return ExitCode::done;
}

void print_report(const SimulateArguments& arguments, const ReportInput& report) {
  const MemoryShown memory = arguments.whole_memory ? MemoryShown::all : MemoryShown::most_telling;
  const std::string text = arguments.json  ? report_json(report)
                           : arguments.csv ? report_csv(report)
                                           : report_text(report, memory);
  std::fputs(text.c_str(), stdout);
  for (const BadPlan& bad : report.bad) complain(bad.error);
}

ExitCode simulate_plans(const SimulateArguments& arguments) {
  const Result<Inputs> inputs = read_inputs(arguments.inputs);
  if (!inputs) return refuse(arguments, inputs.error());
  if (arguments.print_program) return print_programs(*inputs);
  const auto traces = trace_files(arguments.trace.file, inputs->plans);
  if (!traces) return refuse(arguments, traces.error());
  if (const auto error = missing_rank(arguments.trace, inputs->plans))
    return refuse(arguments, *error);
  const Result<PublishedResiduals> residuals = shipped_residuals();
  if (!residuals) return refuse(arguments, residuals.error());
  AnswerContext context{inputs->topology, inputs->costs, inputs->stack, *residuals, {}};
  if (!arguments.tokens.empty()) {
    const Result<double> tokens = parse_tokens(arguments.tokens);
    if (!tokens) return refuse(arguments, {"--tokens", tokens.error().what});
    context.tokens = *tokens;
  }
  ReportInput report = report_header(*inputs);
  report.residuals = residuals->source;
  ProgressLine progress(arguments.trace.quiet ? ProgressShown::never : ProgressShown::on_terminal);
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::filesystem::path> files;
  for (std::size_t i = 0; i < inputs->plans.size(); ++i) {
    const PlanInput& input = inputs->plans[i];
    Result<NamedPrediction> plan = predict_plan({arguments, *inputs, context, progress}, input);
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
  if (const auto error = write_traces(arguments.trace, report, files)) return complain(*error);
  return verdict_of(report);
}

Options options(SimulateArguments& into) {
  InputNames& inputs = into.inputs;
  using enum Need;
  return {
      {"plans", &inputs.plans, "Plan files, or names of shipped plans; several are compared",
       "PLAN", required},
      {"--model", &inputs.model, "Hugging Face config.json, its folder, or a shipped model", "FILE",
       required},
      {"--topology", &inputs.topology, "Topology file, or a shipped machine", "FILE", required},
      {"--costs", &inputs.costs, "Cost table; default: the shipped one for the machine's GPU",
       "FILE"},
      {"--stack", &inputs.stack,
       "Software whose kernels compute: what it fuses, and its costs on the CPU; default: "
       "Megatron-LM's kernels",
       "FILE"},
      hosts_option(inputs.hosts),
      {"--trace", &into.trace.file,
       "Write a trace for Perfetto or chrome://tracing to this file; packed where it ends in .gz "
       "or .zst",
       "FILE"},
      {.names = "--trace-ranks",
       .into = &into.trace.ranks,
       .does = "The trace shows these ranks, each on its own; default: one of each kind",
       .type = "0,8-15",
       .check = Judged{complaint_of_ranks}},
      {.names = "--tokens",
       .into = &into.tokens,
       .does = "Also what a run of so many tokens takes: 15T, 300B, 1.5e12",
       .type = "N",
       .check = Judged{complaint_of_tokens}},
      {"--assumptions", &into.assumptions,
       "Predict again with routing, overlap and rates otherwise, and say what moves the step most "
       "(ten times as long)"},
      {"--json", &into.json,
       "Print JSON (schema_version 2, docs/schema/simulate.json) instead of tables; errors too"},
      {.names = "--csv",
       .into = &into.csv,
       .does = "Print a line per plan instead of tables",
       .excludes = "--json"},
      {"--memory", &into.whole_memory, "Show the memory of every stage"},
      {"--print-program", &into.print_program,
       "Print what every stage does, instruction by instruction, and stop"},
      {"--full-attention", &into.full_attention, "Count causal attention in full for MFU and HFU"},
      {"--unfolded", &into.unfolded, "Simulate every rank on its own (slow; equal result)"},
      {"-q,--quiet", &into.trace.quiet, "No progress and no remarks"},
  };
}

}  // namespace

std::unique_ptr<Verb> simulate_verb() {
  return make_verb<SimulateArguments>(
      {"simulate", "Predict a training step and explain where its time goes",
       "Examples:\n"
       "  quintet simulate llama-3-70b-1024-h100-tp8-pp4 --model llama-3-70b --topology "
       "dgx-h100-1024\n"
       "  quintet simulate toy-pipeline-1f1b toy-pipeline-warm-up --model toy-pipeline --topology "
       "pipeline-4-20ms --costs toy-pipeline --trace step.json\n"
       "Exit: 0 done, 1 a plan does not fit in memory, 2 wrong usage or input; of several plans "
       "the others are answered all the same."},
      {options, simulate_plans});
}

}  // namespace quintet
