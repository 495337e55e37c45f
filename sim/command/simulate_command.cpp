#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <memory>

#include "sim/base/progress_line.h"
#include "sim/command/commands.h"
#include "sim/command/inputs.h"
#include "sim/command/output_files.h"
#include "sim/command/report.h"
#include "sim/model/parameters.h"
#include "sim/timeline/chrome_trace/chrome_trace.h"
#include "sim/usage/complain.h"

namespace quintet {

namespace {

struct SimulateArguments {
  InputNames inputs;
  std::string trace;
  bool json = false, quiet = false, print_program = false, unfolded = false;
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
  return report;
}

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

Result<NamedPrediction> predict_plan(const SimulateArguments& arguments, const Inputs& inputs,
                                     const PlanInput& input, ProgressLine& progress) {
  PredictOptions options;
  options.folding = arguments.unfolded ? Folding::none : Folding::equivalent;
  options.attention = arguments.full_attention ? AttentionCount::full : AttentionCount::causal_half;
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

ExitCode verdict_of(const ReportInput& report) {
  for (const NamedPrediction& plan : report.plans)
    if (plan.prediction.memory.capacity.value > 0 &&
        verdict(plan.prediction.memory) == MemoryVerdict::does_not_fit)
      return ExitCode::answer_is_no;
  return ExitCode::done;
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

ExitCode simulate_plans(const SimulateArguments& arguments) {
  const Result<Inputs> inputs = read_inputs(arguments.inputs);
  if (!inputs) return complain(inputs.error());
  if (arguments.print_program) return print_programs(*inputs);
  const auto traces = trace_files(arguments.trace, inputs->plans);
  if (!traces) return complain(traces.error());
  ReportInput report = report_header(*inputs);
  ProgressLine progress(arguments.quiet ? ProgressShown::never : ProgressShown::on_terminal);
  const auto begin = std::chrono::steady_clock::now();
  for (const PlanInput& input : inputs->plans) {
    Result<NamedPrediction> plan = predict_plan(arguments, *inputs, input, progress);
    if (!plan) return complain(plan.error());
    report.plans.push_back(std::move(*plan));
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  print_report(arguments, report);
  if (!arguments.quiet)
    std::fprintf(stderr, "Predicted %s in %.2f s.\n", counted(report.plans.size(), "plan").c_str(),
                 took.count());
  return write_traces(arguments, report, *traces);
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
      {"--trace", &into.trace, "Write a trace for Perfetto or chrome://tracing to this file",
       "FILE"},
      {"--json", &into.json, "Print JSON (schema_version 1) instead of tables"},
      {"--memory", &into.whole_memory, "Show the memory of every stage"},
      {"--print-program", &into.print_program,
       "Print what every stage does, instruction by instruction, and stop"},
      {"--full-attention", &into.full_attention, "Count causal attention in full for MFU and HFU"},
      {"--unfolded", &into.unfolded, "Simulate every rank on its own (slow; equal result)"},
      {"-q,--quiet", &into.quiet, "No progress and no remarks"},
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
       "Exit: 0 done, 1 a plan does not fit in memory, 2 wrong usage or input."},
      {options, simulate_plans});
}

}  // namespace quintet
