#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>

#include "sim/asked/plan_flags.h"
#include "sim/base/progress_line.h"
#include "sim/command/commands.h"
#include "sim/command/compare_many.h"
#include "sim/command/inputs.h"
#include "sim/command/output_files.h"
#include "sim/command/report.h"
#include "sim/command/report_header.h"
#include "sim/plan/plan_file.h"
#include "sim/timeline/chrome_trace/chrome_trace.h"
#include "sim/usage/complain.h"

namespace quintet {

namespace {

struct SimulateArguments {
  InputNames inputs;
  PlanFlags flags;
  std::string output;
  int threads = 0;
  std::string trace;
  bool json = false, quiet = false, print_program = false, unfolded = false;
  bool full_attention = false, whole_memory = false;
};

// The cost table is named by its name; the user knows it by its file.
Error with_files(const Error& error, const PlanInput& plan, const Inputs& inputs) {
  return {plan.file + " with " + inputs.costs_file, error.text()};
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

// Before what takes long.
void announce(const std::string& plan, const WalkExtent& extent) {
  constexpr Seconds noticed{2.0};
  const Seconds expected = expected_time(extent);
  if (expected < noticed) return;
  std::fprintf(stderr, "%s",
               fmt::format("{}: {:.1f} million tasks of {} kinds of ranks, about {:.0f} s.\n", plan,
                           static_cast<double>(extent.tasks) / 1e6, extent.classes, expected.value)
                   .c_str());
}

PredictOptions predict_options(const SimulateArguments& arguments) {
  PredictOptions options;
  options.folding = arguments.unfolded ? Folding::none : Folding::equivalent;
  options.attention = arguments.full_attention ? AttentionCount::full : AttentionCount::causal_half;
  return options;
}

Result<NamedPrediction> predict_plan(const SimulateArguments& arguments, const Inputs& inputs,
                                     const PlanInput& input, ProgressLine& progress) {
  PredictOptions options = predict_options(arguments);
  options.compile = inputs.compile;
  options.progress = [&](double share) { progress.show(input.plan.name, share); };
  if (!arguments.quiet)
    options.begins = [&](const WalkExtent& extent) { announce(input.plan.name, extent); };
  Result<Prediction> prediction =
      predict(inputs.model, input.plan, inputs.topology, inputs.costs, options);
  progress.clear();
  if (!prediction) return with_files(prediction.error(), input, inputs);
  std::vector<BusyLinks> busiest =
      busiest_links(inputs.topology, carried_by_links(*prediction), seconds(prediction->mean.step));
  return NamedPrediction{input.plan.name, std::move(*prediction), std::move(busiest)};
}

bool fits(const NamedPrediction& plan) {
  const MemoryReport& memory = plan.prediction.memory;
  return memory.capacity.value <= 0 || verdict(memory) == MemoryVerdict::fits;
}

ExitCode verdict_of(const ReportInput& report) {
  const bool all = std::all_of(report.plans.begin(), report.plans.end(), fits);
  return all ? ExitCode::done : ExitCode::answer_is_no;
}

void print_report(const SimulateArguments& arguments, const ReportInput& report) {
  const MemoryShown memory = arguments.whole_memory ? MemoryShown::all : MemoryShown::most_telling;
  std::fputs((arguments.json ? report_json(report) : report_text(report, memory)).c_str(), stdout);
}

// About 400 MB of trace; viewers in a browser give up at 2 GB of memory (Chromium's limit for one
// tab).
constexpr std::size_t most_spans = 2'000'000;

ExitCode write_traces(const SimulateArguments& arguments, const ReportInput& report,
                      const std::vector<std::filesystem::path>& files) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    const Timeline& whole = report.plans[i].prediction.timeline;
    const Timeline timeline = with_fewer_tracks(whole, most_spans);
    const auto written = write_chrome_trace(files[i], timeline);
    if (!written) return complain(written.error());
    if (arguments.quiet) continue;
    std::fprintf(stderr, "Trace of %s: %s (%zu spans; open it in ui.perfetto.dev)\n",
                 report.plans[i].name.c_str(), files[i].c_str(), timeline.spans.size());
    if (timeline.tracks.size() < whole.tracks.size())
      std::fprintf(stderr,
                   "It shows %zu of %zu tracks: all %zu spans would be too much for a viewer.\n",
                   timeline.tracks.size(), whole.tracks.size(), whole.spans.size());
  }
  return verdict_of(report);
}

// The first stands for all where there is nothing else to answer.
ExitCode complain_of(const std::vector<RefusedPlan>& refused) {
  for (const RefusedPlan& plan : refused) complain(plan.error);
  return ExitCode::wrong_input;
}

// Of several the fastest that fits.
std::optional<Error> write_best(const SimulateArguments& arguments, const ReportInput& report,
                                const std::vector<PlanInput>& plans) {
  if (arguments.output.empty()) return std::nullopt;
  const NamedPrediction* best = nullptr;
  for (const NamedPrediction& plan : report.plans)
    if (fits(plan) &&
        (best == nullptr || plan.prediction.summary.step < best->prediction.summary.step))
      best = &plan;
  for (const PlanInput& input : plans)
    if (best != nullptr && input.plan.name == best->name)
      return write_file(arguments.output, plan_text(input.plan));
  return std::nullopt;
}

ExitCode simulate_each(const SimulateArguments& arguments, const Inputs& inputs) {
  if (inputs.plans.empty()) return complain_of(inputs.refused);
  const auto traces = trace_files(arguments.trace, inputs.plans);
  if (!traces) return complain(traces.error());
  ReportInput report = report_header(inputs);
  ProgressLine progress(arguments.quiet ? ProgressShown::never : ProgressShown::on_terminal);
  const auto begin = std::chrono::steady_clock::now();
  std::vector<RefusedPlan> refused = inputs.refused;
  std::vector<std::filesystem::path> files;
  for (std::size_t i = 0; i < inputs.plans.size(); ++i) {
    Result<NamedPrediction> plan = predict_plan(arguments, inputs, inputs.plans[i], progress);
    if (!plan) {
      refused.push_back({inputs.plans[i].file, plan.error()});
      continue;
    }
    report.plans.push_back(std::move(*plan));
    if (!traces->empty()) files.push_back((*traces)[i]);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  if (report.plans.empty()) return complain_of(refused);
  print_report(arguments, report);
  if (!arguments.quiet)
    std::fprintf(stderr, "Predicted %s in %.2f s.\n", counted(report.plans.size(), "plan").c_str(),
                 took.count());
  if (const auto error = write_best(arguments, report, inputs.plans)) return complain(*error);
  const ExitCode code = write_traces(arguments, report, files);
  return refused.empty() ? code : complain_of(refused);
}

std::optional<Error> wrong_together(const SimulateArguments& arguments, bool several) {
  if (!arguments.output.empty())
    if (auto error = no_place("-o", arguments.output)) return error;
  if (!several) return std::nullopt;
  if (!arguments.trace.empty())
    return Error{"--trace", "is of one plan; give one value of each field"};
  if (arguments.print_program)
    return Error{"--print-program", "is of one plan; give one value of each field"};
  return std::nullopt;
}

ExitCode simulate_plans(const SimulateArguments& arguments) {
  const Result<AskedFields> settings = asked_fields(arguments.flags);
  if (!settings) return complain(settings.error());
  if (arguments.inputs.plans.empty() && !says_of_plan(*settings))
    return complain({"",
                     "plans is required: plan files or names of shipped plans, or a plan in "
                     "options such as --tensor 8 --global-batch 512 --sequence 8192\n"
                     "See quintet simulate --help."});
  Result<std::vector<AskedChanges>> asked = combinations(*settings);
  if (!asked) return complain(asked.error());
  const bool several = asked->size() > 1;
  if (const auto error = wrong_together(arguments, several)) return complain(*error);
  InputNames names = arguments.inputs;
  names.asked = std::move(*asked);
  const Result<std::vector<Inputs>> inputs = read_inputs(names);
  if (!inputs) return complain(inputs.error());
  if (several)
    return compare_many({predict_options(arguments), arguments.threads, arguments.json,
                         arguments.quiet, arguments.output},
                        *inputs);
  if (arguments.print_program && inputs->front().refused.empty())
    return print_programs(inputs->front());
  return simulate_each(arguments, inputs->front());
}

Options options(SimulateArguments& into) {
  InputNames& inputs = into.inputs;
  using enum Need;
  return together(
      {{
           {"plans", &inputs.plans,
            "Plan files, or names of shipped plans; several are compared; none: what options say",
            "PLAN"},
           {"--model", &inputs.model, "Hugging Face config.json, its folder, or a shipped model",
            "FILE", required},
           {"--topology", &inputs.topology, "Topology file, or a shipped machine", "FILE",
            required},
           {"--costs", &inputs.costs, "Cost table; default: the shipped one for the machine's GPU",
            "FILE"},
           {"--stack", &inputs.stack,
            "Software whose kernels compute: what it fuses, and its costs on the CPU; default: "
            "Megatron-LM's kernels",
            "FILE"},
           hosts_option(inputs.hosts),
           {"--trace", &into.trace, "Write a trace for Perfetto or chrome://tracing to this file",
            "FILE"},
           {"--json", &into.json, "Print JSON (schema_version 1) instead of tables"},
           {"--memory", &into.whole_memory, "Show the memory of every stage"},
           {"--print-program", &into.print_program,
            "Print what every stage does, instruction by instruction, and stop"},
           {"--full-attention", &into.full_attention,
            "Count causal attention in full for MFU and HFU"},
           {"--unfolded", &into.unfolded, "Simulate every rank on its own (slow; equal result)"},
           {"-o,--output", &into.output,
            "Write the plan, of several the fastest that fits, to this file", "FILE"},
           {"--threads", &into.threads, "Plans of lists predicted at once; default: one per core",
            "", optional, WholeRange{1, 1024}},
           {"-q,--quiet", &into.quiet, "No progress and no remarks"},
       },
       plan_flag_options(into.flags)});
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
       "input."},
      {options, simulate_plans});
}

}  // namespace quintet
