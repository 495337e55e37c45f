#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>

#include "sim/command/commands.h"
#include "sim/command/progress.h"
#include "sim/command/report.h"
#include "sim/command/shipped.h"
#include "sim/cost/cost_table_file.h"
#include "sim/model/model_file.h"
#include "sim/model/parameters.h"
#include "sim/plan/plan_file.h"
#include "sim/timeline/chrome_trace.h"
#include "sim/topology/topology_file.h"

namespace quintet {

namespace {

struct SimulateArguments {
  std::vector<std::string> plans;
  std::string model, topology, costs, trace;
  std::optional<int> hosts;
  bool json = false, quiet = false, print_program = false, unfolded = false, full_attention = false;
};

struct Inputs {
  Model model;
  Topology topology;
  CostTable costs;
  std::vector<Plan> plans;
};

// Reads one file of a kind by path or shipped name.
template <class Read>
auto read_named(FileKind kind, const std::string& given, Read read)
    -> decltype(read(std::filesystem::path())) {
  const Result<std::filesystem::path> file = find_file(kind, given);
  if (!file) return file.error();
  return read(*file);
}

// The shipped table measured on the machine's GPU, when none is named.
Result<CostTable> costs_for(const Topology& topology) {
  const std::string gpu = topology.gpu_specs.empty() ? "" : topology.gpu_specs.front().name;
  std::string known;
  for (const std::string& name : shipped_names(FileKind::costs)) {
    Result<CostTable> table = read_named(FileKind::costs, name, read_cost_table);
    if (table && !gpu.empty() && table->gpu == gpu) return table;
    if (table) known += " " + name;
  }
  return Error{"--costs", "no shipped cost table was measured on " +
                              (gpu.empty() ? "a machine without GPUs" : "\"" + gpu + "\"") +
                              "; name one of:" + known};
}

Result<Inputs> read_inputs(const SimulateArguments& arguments) {
  Inputs inputs;
  auto model = read_named(FileKind::model, arguments.model, read_model);
  if (!model) return model.error();
  inputs.model = std::move(*model);
  auto topology = read_named(FileKind::topology, arguments.topology, [&](const auto& file) {
    return read_topology(file, {arguments.hosts, {}});
  });
  if (!topology) return topology.error();
  inputs.topology = std::move(*topology);
  auto costs = arguments.costs.empty()
                   ? costs_for(inputs.topology)
                   : read_named(FileKind::costs, arguments.costs, read_cost_table);
  if (!costs) return costs.error();
  inputs.costs = std::move(*costs);
  for (const std::string& given : arguments.plans) {
    auto plan = read_named(FileKind::plan, given, read_plan);
    if (!plan) return plan.error();
    if (plan->name.empty()) plan->name = std::filesystem::path(given).stem().string();
    inputs.plans.push_back(std::move(*plan));
  }
  return inputs;
}

ReportInput report_header(const Inputs& inputs) {
  ReportInput report;
  report.model = fmt::format("{}, {:.3f} billion parameters", inputs.model.name,
                             static_cast<double>(total_parameters(inputs.model)) / 1e9);
  const std::size_t slots = rank_slots(inputs.topology).size();
  report.topology = fmt::format(
      "{}, {} {} on {} hosts", inputs.topology.name, slots,
      inputs.topology.gpu_specs.empty() ? "CPU ranks" : inputs.topology.gpu_specs.front().name,
      inputs.topology.hosts.size());
  report.costs = inputs.costs.name;
  return report;
}

ExitCode complain(const Error& error) {
  std::fprintf(stderr, "quintet: %s\n", error.text().c_str());
  return ExitCode::wrong_input;
}

// "trace.json" for one plan, "trace-NAME.json" for several.
std::filesystem::path trace_file(const SimulateArguments& arguments, const std::string& plan) {
  std::filesystem::path file(arguments.trace);
  if (arguments.plans.size() == 1) return file;
  return file.replace_filename(file.stem().string() + "-" + plan + file.extension().string());
}

std::optional<Error> write_traces(const SimulateArguments& arguments, const ReportInput& report) {
  if (arguments.trace.empty()) return std::nullopt;
  for (const NamedPrediction& plan : report.plans) {
    const auto written =
        write_chrome_trace(trace_file(arguments, plan.name), plan.prediction.timeline);
    if (!written) return written.error();
    std::fprintf(stderr, "Trace of %s: %s (%zu spans; open it in ui.perfetto.dev)\n",
                 plan.name.c_str(), written->c_str(), plan.prediction.timeline.spans.size());
  }
  return std::nullopt;
}

ExitCode verdict_of(const ReportInput& report) {
  for (const NamedPrediction& plan : report.plans)
    if (plan.prediction.memory.capacity.value > 0 &&
        verdict(plan.prediction.memory) == MemoryVerdict::does_not_fit)
      return ExitCode::answer_is_no;
  return ExitCode::done;
}

ExitCode print_programs(const Inputs& inputs) {
  for (const Plan& plan : inputs.plans) {
    const Result<Program> program =
        checked_program(inputs.model, plan, inputs.topology, inputs.costs);
    if (!program) return complain(program.error());
    std::fputs(program_text(*program).c_str(), stdout);
  }
  return ExitCode::done;
}

ExitCode simulate_plans(const SimulateArguments& arguments) {
  const Result<Inputs> inputs = read_inputs(arguments);
  if (!inputs) return complain(inputs.error());
  if (arguments.print_program) return print_programs(*inputs);
  ReportInput report = report_header(*inputs);
  Progress progress(arguments.quiet ? ProgressShown::never : ProgressShown::on_terminal);
  const auto begin = std::chrono::steady_clock::now();
  for (const Plan& plan : inputs->plans) {
    PredictOptions options;
    options.folding = arguments.unfolded ? Folding::none : Folding::equivalent;
    options.attention =
        arguments.full_attention ? AttentionCount::full : AttentionCount::causal_half;
    options.progress = [&](double share) { progress.show(plan.name, share); };
    Result<Prediction> prediction =
        predict(inputs->model, plan, inputs->topology, inputs->costs, options);
    progress.clear();
    if (!prediction) return complain(prediction.error());
    report.plans.push_back({plan.name, std::move(*prediction)});
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::fputs((arguments.json ? report_json(report) : report_text(report)).c_str(), stdout);
  if (!arguments.quiet)
    std::fprintf(stderr, "Predicted %zu plan%s in %.2f s.\n", report.plans.size(),
                 report.plans.size() == 1 ? "" : "s", took.count());
  if (const auto error = write_traces(arguments, report)) return complain(*error);
  return verdict_of(report);
}

}  // namespace

Verb add_simulate(CLI::App& program) {
  CLI::App* app =
      program.add_subcommand("simulate", "Predict a training step and explain where its time goes");
  auto arguments = std::make_unique<SimulateArguments>();
  SimulateArguments& into = *arguments;
  app->add_option("plans", into.plans,
                  "Plan files, or names of shipped plans; several are compared")
      ->required();
  app->add_option("--model", into.model, "Hugging Face config.json, its folder, or a shipped model")
      ->required();
  app->add_option("--topology", into.topology, "Topology file, or a shipped machine")->required();
  app->add_option("--costs", into.costs,
                  "Cost table; default: the shipped one for the machine's GPU");
  app->add_option("--hosts", into.hosts, "So many hosts instead of the topology file's number");
  app->add_option("--trace", into.trace,
                  "Write a trace for Perfetto or chrome://tracing to this file");
  app->add_flag("--json", into.json, "Print JSON (schema_version 1) instead of tables");
  app->add_flag("--print-program", into.print_program,
                "Print what every stage does, instruction by instruction, and stop");
  app->add_flag("--full-attention", into.full_attention,
                "Count causal attention in full for MFU and HFU");
  app->add_flag("--unfolded", into.unfolded, "Simulate every rank on its own (slow; equal result)");
  app->add_flag("-q,--quiet", into.quiet, "No progress and no remarks");
  app->footer(
      "Example:\n"
      "  quintet simulate llama-3-70b-1024-h100-tp8-pp4 --model llama-3-70b --topology "
      "dgx-h100-1024\n"
      "Exit: 0 done, 1 a plan does not fit in memory, 2 wrong usage or input.");
  std::shared_ptr<SimulateArguments> kept = std::move(arguments);
  return {app, [kept] { return simulate_plans(*kept); }};
}

}  // namespace quintet
