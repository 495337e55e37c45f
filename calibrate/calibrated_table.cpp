#include "calibrate/calibrated_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "calibrate/cost_table_text.h"
#include "calibrate/measure_operators.h"
#include "calibrate/measured_run.h"
#include "calibrate/messages/message_calibration.h"
#include "calibrate/processor_choice.h"
#include "calibrate/sampled_calibration.h"
#include "calibrate/this_machine.h"
#include "calibrate/training_run.h"
#include "sim/job/job_program.h"
#include "sim/timeline/chrome_trace.h"

namespace quintet::calibrate {
namespace {

Result<OperatorSamples> operators(const CalibrateArguments& arguments,
                                  const CalibrateInputs& inputs) {
  OperatorSamples samples;
  for (const Plan& plan : inputs.plans) {
    std::fprintf(stderr, "Operators of %s ...\n", plan.name.c_str());
    const CompileOptions compile;
    Result<Program> program =
        checked_job_program(inputs.models.front(), plan, inputs.topology, compile);
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

// Of runs that already were, one of each plan.
Result<OperatorSamples> operators_measured(const CalibrateArguments& arguments,
                                           const CalibrateInputs& inputs) {
  OperatorSamples samples;
  for (std::size_t index = 0; index < inputs.plans.size(); ++index) {
    const Result<Program> program =
        checked_job_program(inputs.models.front(), inputs.plans[index], inputs.topology);
    if (!program) return program.error();
    const std::string& file = arguments.measured[index];
    const Result<Timeline> timeline = read_chrome_trace(file);
    if (!timeline) return timeline.error();
    if (auto error = add_measured_run(*program, *timeline, file, samples)) return *error;
  }
  return samples;
}

// What all probes of a journal share; their own sizes are in their names.
std::string conditions_of(const CalibrateArguments& arguments, const Topology& topology,
                          const ProbeRange& range) {
  return processor_name() + ", " + arguments.kernels + " kernels, " + std::to_string(range.ranks) +
         " ranks on " + std::to_string(arguments.cores) + " cores, " + topology.name +
         (namespaces_allowed() ? "" : " without namespaces");
}

std::string journal_of(const CalibrateArguments& arguments) {
  return arguments.journal.empty() ? arguments.output + ".journal" : arguments.journal;
}

// What a packet of Ethernet carries of TCP.
Network probe_network() {
  Network network;
  network.mtu = 1448;
  return network;
}

std::optional<Error> messages(const CalibrateArguments& arguments, const CalibrateInputs& inputs,
                              Cluster* cluster, CostTable& table) {
  const Result<ProbeRange> range = range_of(arguments, inputs);
  if (!range) return range.error();
  constexpr double share = 0.2;  // of the time for operators, unless told
  return add_messages(
      {inputs.topology, inputs.plans.empty() ? probe_network() : inputs.plans.front().network,
       range->ranks, arguments.cores, journal_of(arguments),
       conditions_of(arguments, inputs.topology, *range), arguments.target / 100,
       Seconds{arguments.message_time.value_or(arguments.time * share)}, cluster,
       processor_of(arguments.device)},
      table);
}

std::optional<Error> add_operators(const CalibrateArguments& arguments,
                                   const CalibrateInputs& inputs, CostTable& table,
                                   std::vector<StagingCosts>& staging) {
  const bool ran = !arguments.measured.empty();
  const Result<OperatorSamples> samples =
      ran ? operators_measured(arguments, inputs) : operators(arguments, inputs);
  if (!samples) return samples.error();
  table.operators = samples->times();
  staging = samples->staging();
  std::array<char, 96> scatter{};
  std::snprintf(scatter.data(), scatter.size(), "; 90th percentile over median %.2f",
                samples->scatter());
  table.source = where_and_when() + "; quintet calibrate, model " + inputs.models.front().name +
                 ", " + std::to_string(inputs.plans.size()) + " plans, " +
                 (ran ? "a step of a run" : std::to_string(arguments.steps) + " steps") +
                 " of each" + scatter.data();
  return std::nullopt;
}

// Of probes that were run: curves, and how far whole steps lie from what the table predicts.
class Curves {
 public:
  Curves(const CalibrateArguments& arguments, const CalibrateInputs& inputs, ProbeRange range)
      : arguments_(arguments),
        request_{std::move(range),
                 {inputs.topology, arguments.topology, arguments.kernels, namespaces_allowed(),
                  arguments.output + ".probes"},
                 "",
                 journal_of(arguments),
                 arguments.target / 100,
                 Seconds{arguments.time},
                 arguments.cores} {
    request_.conditions = conditions_of(arguments, inputs.topology, request_.range);
  }

  std::optional<Error> add_to(CostTable& table, std::vector<StagingCosts>& staging) {
    Result<SampledCalibration> made = sampled_calibration(request_);
    if (!made) return made.error();
    const Sampled& sampled = made->sampled;
    table.curves = sampled.knowledge.curves();
    table.not_measured = not_measured(request_, sampled);
    if (arguments_.without_messages) table.not_measured.emplace_back("messages between ranks");
    staging = sampled.staging;
    table.source = where_and_when() + "; quintet calibrate, " + how_it_ended(sampled);
    std::fprintf(stderr, "Operators: %s.\n", how_it_ended(sampled).c_str());
    made_ = std::move(*made);
    return std::nullopt;
  }

  // Of the table as it is otherwise done: the share of the cores that its probes' steps prove to be
  // missing, and how far each is off then.
  std::optional<Error> add_whole_steps(CostTable& table) const {
    constexpr int enough = 4;
    constexpr double close = 0.005;
    Result<std::vector<WholeStep>> steps = steps_by(table);
    for (int time = 0; time < enough && steps && !steps->empty(); ++time) {
      const double ratio = proven_ratio(*steps);
      double& usable = table.processors->usable;
      const double next = std::clamp(usable / ratio, least_usable, 1.0);
      if (std::abs(ratio - 1) < close || next == usable) break;
      usable = next;
      steps = steps_by(table);
    }
    if (!steps) return steps.error();
    const Residuals residuals = whole_step_residuals(*steps);
    table.whole_steps = {residuals, "steps of the probes, " + where_and_when()};
    std::fprintf(stderr,
                 "Ranks get %.0f %% of the cores that they want; steps of %d probes are %+.1f to "
                 "%+.1f %% off then.\n",
                 100 * table.processors->usable, residuals.samples, 100 * residuals.p05,
                 100 * residuals.p95);
    return std::nullopt;
  }

 private:
  static constexpr double least_usable = 0.6;

  Result<std::vector<WholeStep>> steps_by(const CostTable& table) const {
    const std::string so_far = (request_.place.folder / "costs.json").string();
    if (auto error = write_table(so_far, table)) return *error;
    return whole_steps(made_->records, made_->candidates, so_far, request_.place);
  }

  const CalibrateArguments& arguments_;
  SampledRequest request_;
  std::optional<SampledCalibration> made_;
};

CostTable empty_table(const CalibrateArguments& arguments) {
  CostTable table;
  table.name = processor_name() + ", " + arguments.kernels + " kernels";
  table.gpu = "any";
  table.communication.source = "not measured";
  return table;
}

Result<CostTable> table_of_messages(const CalibrateArguments& arguments,
                                    const CalibrateInputs& inputs, Cluster* cluster) {
  CostTable table = empty_table(arguments);
  table.source = where_and_when() + "; quintet calibrate";
  table.not_measured.emplace_back("operators");
  if (auto error = messages(arguments, inputs, cluster, table)) return *error;
  return table;
}

Result<CostTable> table_of_plans(const CalibrateArguments& arguments, const CalibrateInputs& inputs,
                                 Cluster* cluster) {
  CostTable table = empty_table(arguments);
  std::vector<StagingCosts> staging;
  if (auto error = add_operators(arguments, inputs, table, staging)) return *error;
  if (arguments.without_messages) return table;
  if (auto error = messages(arguments, inputs, cluster, table)) return *error;
  if (table.processors) table.processors->staging = std::move(staging);
  return table;
}

Result<CostTable> table_of_curves(const CalibrateArguments& arguments,
                                  const CalibrateInputs& inputs) {
  Result<ProbeRange> range = range_of(arguments, inputs);
  if (!range) return range.error();
  CostTable table = empty_table(arguments);
  std::vector<StagingCosts> staging;
  Curves curves(arguments, inputs, std::move(*range));
  if (auto error = curves.add_to(table, staging)) return *error;
  if (arguments.without_messages) return table;
  if (auto error = messages(arguments, inputs, nullptr, table)) return *error;
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
  if (arguments.without_operators) return table_of_messages(arguments, inputs, cluster);
  if (!arguments.plans.empty()) return table_of_plans(arguments, inputs, cluster);
  if (cluster == nullptr) return table_of_curves(arguments, inputs);
  return Error{"quintet calibrate",
               "under mpirun or srun no probes are run: add --without-operators, and measure "
               "operators by one process on one of the hosts"};
}

}  // namespace quintet::calibrate
