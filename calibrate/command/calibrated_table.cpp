#include "calibrate/command/calibrated_table.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include "calibrate/command/gpu_costs.h"
#include "calibrate/command/measured_steps.h"
#include "calibrate/command/probed_curves.h"
#include "calibrate/device/device_costs.h"
#include "calibrate/machine/processor_choice.h"
#include "calibrate/machine/this_machine.h"
#include "calibrate/messages/message_calibration.h"
#include "calibrate/operators/measure_operators.h"
#include "calibrate/probes/measured_run.h"
#include "engine/files/storage/durable_file.h"
#include "engine/train/training_inputs.h"
#include "sim/base/quantile.h"
#include "sim/compile/step_program.h"
#include "sim/cost/file/cost_table_file.h"
#include "sim/timeline/trace_reader.h"

namespace quintet::calibrate {
namespace {

Result<OperatorSamples> operators(const CalibrateArguments& arguments,
                                  const CalibrateInputs& inputs) {
  OperatorSamples samples;
  for (const Plan& plan : inputs.plans) {
    std::fprintf(stderr, "Operators of %s ...\n", plan.name.c_str());
    const CompileOptions compile;
    Result<Program> program =
        checked_step_program(inputs.models.front(), plan, inputs.topology, compile);
    if (!program) return program.error();
    OperatorRunOptions options;
    options.kernels = [&] { return kernels_of(arguments.kernels); };
    options.steps = arguments.steps;
    if (auto error = measure_operators({inputs.models.front(), plan, std::move(*program), compile},
                                       options, samples))
      return *error;
  }
  return samples;
}

Seconds median_step(const Measurement& measurement) {
  std::vector<Seconds> times;
  for (const StepTime& each : measurement.steps) times.push_back(seconds(each.time));
  return lower_median(std::move(times));
}

// The operators come from runs that already were, one of each plan.
Result<OperatorSamples> operators_measured(const CalibrateArguments& arguments,
                                           const CalibrateInputs& inputs,
                                           std::vector<MeasuredPlan>& measured) {
  OperatorSamples samples;
  for (std::size_t index = 0; index < inputs.plans.size(); ++index) {
    const Result<Program> program =
        checked_step_program(inputs.models.front(), inputs.plans[index], inputs.topology);
    if (!program) return program.error();
    const Program ran = step_program(inputs.models.front(), inputs.plans[index], inputs.topology,
                                     engine::compile_options(processor_of(arguments.device)));
    const std::string& file = arguments.measured[index];
    const Result<Timeline> timeline = read_timeline(file);
    if (!timeline) return timeline.error();
    if (auto error = add_measured_run(*program, ran, *timeline, file, samples)) return *error;
    measured.push_back({median_step(*timeline->measurement), beside_operators(*timeline)});
  }
  return samples;
}

Network probe_network(const Topology& topology) {
  Network network;
  // What a packet of Ethernet carries of TCP.
  if (topology.protocol == NetworkProtocol::tcp) network.mtu = 1448;
  return network;
}

std::optional<Error> messages(const CalibrateArguments& arguments, const CalibrateInputs& inputs,
                              const Gpu& gpu, Cluster* cluster, CostTable& table) {
  const Result<ProbeRange> range = range_of(arguments, inputs);
  if (!range) return range.error();
  constexpr double share = 0.2;  // of the time for operators, unless told
  return add_messages(
      {inputs.topology,
       inputs.plans.empty() ? probe_network(inputs.topology) : inputs.plans.front().network,
       range->ranks, arguments.cores, journal_of(arguments),
       conditions_of(arguments, inputs.topology, *range, gpu), arguments.target / 100,
       Seconds{arguments.message_time.value_or(arguments.time * share)}, cluster,
       processor_of(arguments.device)},
      table);
}

// A GPU alone has nobody to talk to.
std::optional<Error> messages_of_gpus(const CalibrateArguments& arguments,
                                      const CalibrateInputs& inputs,
                                      const kernels::DeviceProperties& gpu, Cluster* cluster,
                                      CostTable& table) {
  if (arguments.without_messages) return std::nullopt;
  if (cluster != nullptr || ranks_of(arguments, inputs.topology) > 1)
    return messages(arguments, inputs, gpu, cluster, table);
  table.not_measured.emplace_back("messages: there is one GPU");
  return std::nullopt;
}

std::optional<Error> add_operators(const CalibrateArguments& arguments,
                                   const CalibrateInputs& inputs, CostTable& table,
                                   std::vector<StagingCosts>& staging,
                                   std::vector<MeasuredPlan>& measured) {
  const bool ran = !arguments.measured.empty();
  const Result<OperatorSamples> samples =
      ran ? operators_measured(arguments, inputs, measured) : operators(arguments, inputs);
  if (!samples) return samples.error();
  table.operators = samples->times();
  staging = samples->staging();
  std::array<char, 96> scatter{};
  std::snprintf(scatter.data(), scatter.size(), "; 90th percentile over median %.2f",
                samples->scatter());
  table.source = fmt::format("{}; quintet calibrate, model {}, {} plans, {} of each{}",
                             where_and_when(), inputs.models.front().name, inputs.plans.size(),
                             ran ? "a step of a run" : fmt::format("{} steps", arguments.steps),
                             scatter.data());
  return std::nullopt;
}

// Names of GPUs are spelled in many ways, so that only their size tells.
void doubt_topology(const kernels::DeviceProperties& gpu, const Topology& topology) {
  const GpuSpec& described = topology.gpu_specs.front();
  if (described.sms == gpu.multiprocessors) return;
  std::fprintf(stderr,
               "Is %s this machine? Its %s has %d multiprocessors, the %s here has %d; costs are "
               "measured all the same.\n",
               topology.name.c_str(), described.name.c_str(), described.sms, gpu.name.c_str(),
               gpu.multiprocessors);
}

CostTable empty_table(const CalibrateArguments& arguments, const CalibrateInputs& inputs,
                      const Gpu& gpu) {
  CostTable table;
  table.name = gpu ? device_text(*gpu) : processor_name() + ", " + arguments.kernels + " kernels";
  table.gpu = gpu ? inputs.topology.gpu_specs.front().name : "any";
  table.communication.source = "not measured";
  return table;
}

Result<CostTable> table_of_messages(const CalibrateArguments& arguments,
                                    const CalibrateInputs& inputs, const Gpu& gpu,
                                    Cluster* cluster) {
  CostTable table = empty_table(arguments, inputs, gpu);
  table.source = where_and_when(gpu) + "; quintet calibrate";
  table.not_measured.emplace_back("operators");
  if (gpu) {
    if (auto error = add_gpu({}, table)) return *error;
    if (auto error = messages_of_gpus(arguments, inputs, *gpu, cluster, table)) return *error;
    return table;
  }
  if (auto error = messages(arguments, inputs, gpu, cluster, table)) return *error;
  return table;
}

Result<CostTable> table_of_plans(const CalibrateArguments& arguments, const CalibrateInputs& inputs,
                                 const Gpu& gpu, Cluster* cluster) {
  CostTable table = empty_table(arguments, inputs, gpu);
  std::vector<StagingCosts> staging;
  std::vector<MeasuredPlan> measured;
  if (auto error = add_operators(arguments, inputs, table, staging, measured)) return *error;
  if (gpu) {
    if (auto error = add_gpu({}, table)) return *error;
    if (auto error = messages_of_gpus(arguments, inputs, *gpu, cluster, table)) return *error;
    return table;
  }
  if (arguments.without_messages) return table;
  if (auto error = messages(arguments, inputs, gpu, cluster, table)) return *error;
  if (!table.processors) return table;
  table.processors->staging = std::move(staging);
  if (auto error = fit_sharing_of_runs(arguments, measured, table)) return *error;
  return table;
}

Result<CostTable> table_of_curves(const CalibrateArguments& arguments,
                                  const CalibrateInputs& inputs, const Gpu& gpu) {
  Result<ProbeRange> range = range_of(arguments, inputs);
  if (!range) return range.error();
  CostTable table = empty_table(arguments, inputs, gpu);
  std::vector<StagingCosts> staging;
  ProbedCurves curves(arguments, inputs, std::move(*range), gpu);
  if (auto error = curves.add_to(table, staging)) return *error;
  if (gpu) {
    if (auto error = curves.add_gpu_to(table)) return *error;
    if (auto error = messages_of_gpus(arguments, inputs, *gpu, nullptr, table)) return *error;
    if (auto error = curves.add_whole_steps(table)) return *error;
    return table;
  }
  if (arguments.without_messages) return table;
  if (auto error = messages(arguments, inputs, gpu, nullptr, table)) return *error;
  if (!table.processors) return table;
  table.processors->staging = std::move(staging);
  if (auto error = curves.add_whole_steps(table)) return *error;
  return table;
}

}  // namespace

std::unique_ptr<kernels::Kernels> kernels_of(const std::string& name) {
  if (name == "reference") return kernels::reference_kernels();
  return name == "fast" ? kernels::fast_kernels() : kernels::onednn_kernels();
}

Result<CostTable> calibrated_table(const CalibrateArguments& arguments,
                                   const CalibrateInputs& inputs, Cluster* cluster) {
  if (auto wrong = kernels::wrong_cpu_limit()) return Error{"environment", *std::move(wrong)};
  Gpu gpu;
  if (processor_of(arguments.device) == Processor::gpu) {
    Result<kernels::DeviceProperties> here = gpu_here();
    if (!here) return here.error();
    gpu = std::move(*here);
    doubt_topology(*gpu, inputs.topology);
  }
  if (arguments.without_operators) return table_of_messages(arguments, inputs, gpu, cluster);
  if (!arguments.plans.empty()) return table_of_plans(arguments, inputs, gpu, cluster);
  if (cluster == nullptr) return table_of_curves(arguments, inputs, gpu);
  return Error{"quintet calibrate",
               "under mpirun or srun no probes are run: add --without-operators, and measure "
               "operators by one process on one of the hosts"};
}

std::optional<Error> write_table(const std::filesystem::path& file, const CostTable& table) {
  Result<DurableFile> made = DurableFile::create(file);
  if (!made) return made.error();
  if (auto error = made->write(text_of(table))) return error;
  return made->finish();
}

}  // namespace quintet::calibrate
