#include "calibrate/calibrate_command.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "calibrate/cost_table_text.h"
#include "calibrate/machine_time.h"
#include "calibrate/measure_messages.h"
#include "calibrate/measure_operators.h"
#include "calibrate/measured_run.h"
#include "engine/storage/durable_file.h"
#include "sim/job/job_program.h"
#include "sim/model/model_file.h"
#include "sim/plan/plan_file.h"
#include "sim/timeline/chrome_trace.h"
#include "sim/topology/topology_file.h"
#include "sim/usage/complain.h"
#include "sim/usage/shipped.h"

namespace quintet::calibrate {
namespace {

enum class KernelChoice { reference, fast, onednn };

struct Arguments {
  std::string model, topology, output;
  std::vector<std::string> plans, measured;
  std::optional<int> hosts;
  std::string kernels = "fast";
  int steps = 10;
  int cores = static_cast<int>(std::thread::hardware_concurrency());
  bool without_messages = false, busy = false;
};

struct Inputs {
  Model model;
  Topology topology;
  std::vector<Plan> plans;
};

template <class T>
Result<T> read_named(FileKind kind, const std::string& given,
                     Result<T> (*read)(const std::filesystem::path&)) {
  const Result<std::filesystem::path> file = find_file(kind, given);
  if (!file) return file.error();
  return read(*file);
}

Result<Inputs> read_inputs(const Arguments& arguments) {
  Inputs inputs;
  for (const std::string& given : arguments.plans) {
    Result<Plan> plan = read_named(FileKind::plan, given, read_plan);
    if (!plan) return plan.error();
    if (plan->name.empty()) plan->name = std::filesystem::path(given).stem().string();
    inputs.plans.push_back(std::move(*plan));
  }
  Result<Model> model = read_named(FileKind::model, arguments.model, read_model);
  if (!model) return model.error();
  inputs.model = std::move(*model);
  const Result<std::filesystem::path> file = find_file(FileKind::topology, arguments.topology);
  if (!file) return file.error();
  Result<Topology> topology = read_topology(*file, {arguments.hosts, {}});
  if (!topology) return topology.error();
  inputs.topology = std::move(*topology);
  return inputs;
}

std::unique_ptr<kernels::Kernels> kernels_of(const std::string& name) {
  if (name == "reference") return kernels::reference_kernels();
  return name == "fast" ? kernels::fast_kernels() : kernels::onednn_kernels();
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown processor";
}

std::string where_and_when() {
  utsname system{};
  uname(&system);
  std::array<char, 32> day{};
  const std::time_t now = std::time(nullptr);
  std::strftime(day.data(), day.size(), "%F", std::gmtime(&now));
  return processor_name() + ", " + system.sysname + " " + system.release + ", " + day.data();
}

Result<OperatorSamples> operators(const Arguments& arguments, const Inputs& inputs) {
  OperatorSamples samples;
  for (const Plan& plan : inputs.plans) {
    std::fprintf(stderr, "Operators of %s ...\n", plan.name.c_str());
    const CompileOptions compile;
    Result<Program> program = checked_job_program(inputs.model, plan, inputs.topology, compile);
    if (!program) return program.error();
    OperatorRunOptions options;
    options.kernels = [&] { return kernels_of(arguments.kernels); };
    options.steps = arguments.steps;
    if (auto error =
            measure_operators({inputs.model, plan, std::move(*program), compile}, options, samples))
      return *error;
  }
  return samples;
}

// Of runs that already were, one of each plan.
Result<OperatorSamples> operators_measured(const Arguments& arguments, const Inputs& inputs) {
  OperatorSamples samples;
  for (std::size_t index = 0; index < inputs.plans.size(); ++index) {
    const Result<Program> program =
        checked_job_program(inputs.model, inputs.plans[index], inputs.topology);
    if (!program) return program.error();
    const std::string& file = arguments.measured[index];
    const Result<Timeline> timeline = read_chrome_trace(file);
    if (!timeline) return timeline.error();
    if (auto error = add_measured_run(*program, *timeline, file, samples)) return *error;
  }
  return samples;
}

// All ranks of a small machine, since they share its cores: a thread that waited for one finds more
// to do at once, so a byte costs less among many ranks than among few.
constexpr int most_ring_ranks = 8;

std::optional<Error> add_messages(const Arguments& arguments, const Inputs& inputs,
                                  CostTable& table) {
  std::fprintf(stderr, "Messages between namespaces ...\n");
  const Network& network = inputs.plans.front().network;
  const int ranks =
      std::min<int>(most_ring_ranks, static_cast<int>(rank_slots(inputs.topology).size()));
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  const Result<RingTimings> timings =
      measure_messages(inputs.topology, network, ranks, program.string());
  if (!timings) return timings.error();
  const std::string how = std::to_string(ranks) + " ranks over UCX/TCP, " + inputs.topology.name;
  const Result<ProcessorCosts> costs = processor_costs(timings->idle, timings->crowded);
  if (!costs) return costs.error();
  table.processors = *costs;
  table.processors->cores = arguments.cores;
  table.processors->source =
      "ring all-reduces, " + how + "; core time: what products of matrices lost beside them";
  table.communication.bandwidth_factor =
      reached_share(timings->idle.large, wire_rate(inputs.topology, network), arguments.cores);
  table.communication.source =
      "of what the wire's payload and the cores allow, ring all-reduce of 16 MiB, " + how;
  return std::nullopt;
}

Result<CostTable> calibrated(const Arguments& arguments, const Inputs& inputs) {
  CostTable table;
  table.name = processor_name() + ", " + arguments.kernels + " kernels";
  table.gpu = "any";
  table.communication.source = "not measured";
  if (!arguments.without_messages)
    if (const auto error = add_messages(arguments, inputs, table)) return *error;
  const bool ran = !arguments.measured.empty();
  const Result<OperatorSamples> samples =
      ran ? operators_measured(arguments, inputs) : operators(arguments, inputs);
  if (!samples) return samples.error();
  table.operators = samples->times();
  if (table.processors) table.processors->staging = samples->staging();
  std::array<char, 96> scatter{};
  std::snprintf(scatter.data(), scatter.size(), "; 90th percentile over median %.2f",
                samples->scatter());
  table.source = where_and_when() + "; quintet calibrate, model " + inputs.model.name + ", " +
                 std::to_string(inputs.plans.size()) + " plans, " +
                 (ran ? "a step of a run" : std::to_string(arguments.steps) + " steps") +
                 " of each" + scatter.data();
  return table;
}

std::optional<Error> write(const std::string& name, const std::string& text) {
  Result<DurableFile> file = DurableFile::create(name);
  if (!file) return file.error();
  if (auto error = file->write(text)) return error;
  return file->finish();
}

constexpr double busy_pressure = 0.1;

ExitCode calibrate(const Arguments& arguments) {
  const Result<Inputs> inputs = read_inputs(arguments);
  if (!inputs) return complain(inputs.error());
  if (!arguments.measured.empty() && arguments.measured.size() != arguments.plans.size())
    return complain({"--measured", "found " + std::to_string(arguments.measured.size()) +
                                       " timelines for " + std::to_string(arguments.plans.size()) +
                                       " plans; expected one of each, in their order"});
  if (kernels_of(arguments.kernels) == nullptr)
    return complain({"--kernels", "this build has no oneDNN; accepted are reference, fast"});
  if (core_pressure() > busy_pressure && !arguments.busy) {
    complain({"quintet calibrate",
              "other programs want this machine's cores "
              "(/proc/pressure/cpu); wait, or measure all the same with "
              "--busy"});
    return ExitCode::answer_is_no;
  }
  const Result<CostTable> table = calibrated(arguments, *inputs);
  if (!table) {
    complain(table.error());
    return ExitCode::answer_is_no;
  }
  if (const auto error = write(arguments.output, text_of(*table))) return complain(*error);
  std::fprintf(stderr, "%zu operators in %s\n", table->operators.size(), arguments.output.c_str());
  return ExitCode::done;
}

void add_options(CLI::App& app, Arguments& into) {
  app.add_option("--model", into.model, "Hugging Face config.json, its folder, or a shipped model")
      ->required()
      ->type_name("FILE");
  app.add_option("--plan", into.plans, "Plans whose operators are measured")
      ->required()
      ->type_name("PLAN");
  app.add_option("--measured", into.measured,
                 "Timelines that quintet run --timeline wrote of these plans, in their order: take "
                 "operators' times from them, instead of running steps with no network between "
                 "ranks")
      ->type_name("FILE");
  app.add_option("--topology", into.topology, "The machine of the plans; messages take its links")
      ->required()
      ->type_name("FILE");
  app.add_option("--hosts", into.hosts, "How many hosts it has, instead of what the file says");
  app.add_option("-o,--output", into.output, "The cost table to write")
      ->required()
      ->type_name("FILE");
  app.add_option("--kernels", into.kernels, "As those of quintet run")
      ->check(CLI::IsMember({"reference", "fast", "onednn"}))
      ->capture_default_str();
  app.add_option("--steps", into.steps, "Steps of each plan that count")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--cores", into.cores, "Cores that all ranks share")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  app.add_flag("--without-messages", into.without_messages,
               "Operators only: needs no namespaces, and predicts ranks that share nothing");
  app.add_flag("--busy", into.busy, "Measure although others use the machine");
}

}  // namespace

std::unique_ptr<Verb> add_calibrate(CLI::App& program) {
  return add_verb<Arguments>(
      program,
      {"calibrate", "Measure what plans cost on this machine's cores, for quintet simulate",
       "Example:\n"
       "  quintet calibrate --model gpt2 --plan plan.json --topology box-4-1gbit -o costs.json\n"
       "Exit: 0 done, 1 it cannot be measured here or now, 2 wrong usage or input."},
      {add_options, calibrate});
}

}  // namespace quintet::calibrate
