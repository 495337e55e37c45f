#include "calibrate/calibrate_command.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <thread>
#include <vector>

#include "calibrate/calibrate_options.h"
#include "calibrate/cost_table_text.h"
#include "calibrate/machine_unrest.h"
#include "calibrate/measure_operators.h"
#include "calibrate/measured_run.h"
#include "calibrate/messages/as_started.h"
#include "calibrate/messages/message_calibration.h"
#include "calibrate/messages/message_summary.h"
#include "calibrate/sampled_calibration.h"
#include "calibrate/this_machine.h"
#include "engine/storage/durable_file.h"
#include "sim/job/job_program.h"
#include "sim/model/model_file.h"
#include "sim/plan/plan_file.h"
#include "sim/quantity_text.h"
#include "sim/timeline/chrome_trace.h"
#include "sim/topology/topology_file.h"
#include "sim/usage/complain.h"
#include "sim/usage/shipped.h"

namespace quintet::calibrate {
namespace {

struct Inputs {
  std::vector<Model> models;  // one where plans are given
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

Result<Inputs> read_inputs(const CalibrateArguments& arguments) {
  Inputs inputs;
  for (const std::string& given : arguments.plans) {
    Result<Plan> plan = read_named(FileKind::plan, given, read_plan);
    if (!plan) return plan.error();
    if (plan->name.empty()) plan->name = std::filesystem::path(given).stem().string();
    inputs.plans.push_back(std::move(*plan));
  }
  for (const std::string& given : arguments.models) {
    Result<Model> model = read_named(FileKind::model, given, read_model);
    if (!model) return model.error();
    inputs.models.push_back(std::move(*model));
  }
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

Result<OperatorSamples> operators(const CalibrateArguments& arguments, const Inputs& inputs) {
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
                                           const Inputs& inputs) {
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

// All ranks of a small machine, since they share its cores: a thread that waited for one finds more
// to do at once, so a byte costs less among many ranks than among few.
constexpr int most_ring_ranks = 8;

int ranks_of(const CalibrateArguments& arguments, const Topology& topology) {
  const int slots = static_cast<int>(rank_slots(topology).size());
  return std::min(slots, arguments.ranks > 0 ? arguments.ranks : most_ring_ranks);
}

// Models without a name of their own that scale to the same are one.
std::vector<Model> different(const std::vector<Model>& models) {
  std::vector<Model> seen, all;
  for (const Model& each : models) {
    Model like = scaled(each, 1024);
    like.name.clear();
    if (std::find(seen.begin(), seen.end(), like) != seen.end()) continue;
    seen.push_back(like);
    all.push_back(each);
  }
  return all;
}

Result<ProbeRange> range_of(const CalibrateArguments& arguments, const Inputs& inputs) {
  ProbeRange range;
  range.models = different(inputs.models);
  range.ranks = ranks_of(arguments, inputs.topology);
  range.smallest = range.largest = inputs.models.front().hidden;
  for (const Model& each : inputs.models) {
    range.smallest = std::min(range.smallest, each.hidden);
    range.largest = std::max(range.largest, each.hidden);
  }
  if (arguments.smallest > 0) range.smallest = arguments.smallest;
  if (arguments.largest > 0) range.largest = arguments.largest;
  if (range.smallest > range.largest)
    return Error{"--smallest", "is " + std::to_string(range.smallest) + ", above the largest, " +
                                   std::to_string(range.largest)};
  range.length = arguments.length;
  range.tokens = arguments.tokens;
  range.types.clear();
  for (const std::string& each : arguments.types) {
    const Result<DataType> type = parse_data_type(each);
    if (!type) return Error{"--types", type.error().what};
    range.types.push_back(*type);
  }
  return range;
}

// What all probes of a journal share; their own sizes are in their names.
std::string conditions_of(const CalibrateArguments& arguments, const ProbeRange& range) {
  return processor_name() + ", " + arguments.kernels + " kernels, " + std::to_string(range.ranks) +
         " ranks on " + std::to_string(arguments.cores) + " cores";
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

std::optional<Error> messages(const CalibrateArguments& arguments, const Inputs& inputs,
                              Cluster* cluster, CostTable& table) {
  const Result<ProbeRange> range = range_of(arguments, inputs);
  if (!range) return range.error();
  constexpr double share = 0.2;  // of the time for operators, unless told
  return add_messages(
      {inputs.topology, inputs.plans.empty() ? probe_network() : inputs.plans.front().network,
       ranks_of(arguments, inputs.topology), arguments.cores, journal_of(arguments),
       conditions_of(arguments, *range), arguments.target / 100,
       Seconds{arguments.message_time.value_or(arguments.time * share)}, cluster},
      table);
}

std::optional<Error> add_operators(const CalibrateArguments& arguments, const Inputs& inputs,
                                   CostTable& table, std::vector<StagingCosts>& staging) {
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

std::optional<Error> add_curves(const CalibrateArguments& arguments, const Inputs& inputs,
                                CostTable& table, std::vector<StagingCosts>& staging) {
  const Result<ProbeRange> range = range_of(arguments, inputs);
  if (!range) return range.error();
  const SampledRequest request{*range,
                               inputs.topology,
                               [&] { return kernels_of(arguments.kernels); },
                               conditions_of(arguments, *range),
                               journal_of(arguments),
                               arguments.target / 100,
                               Seconds{arguments.time},
                               arguments.cores};
  const Result<Sampled> sampled = sampled_calibration(request);
  if (!sampled) return sampled.error();
  table.curves = sampled->knowledge.curves();
  table.not_measured = not_measured(request, *sampled);
  if (arguments.without_messages) table.not_measured.emplace_back("messages between ranks");
  staging = sampled->staging;
  table.source = where_and_when() + "; quintet calibrate, " + how_it_ended(*sampled);
  std::fprintf(stderr, "Operators: %s.\n", how_it_ended(*sampled).c_str());
  return std::nullopt;
}

std::optional<Error> add_computing(const CalibrateArguments& arguments, const Inputs& inputs,
                                   CostTable& table, std::vector<StagingCosts>& staging) {
  if (!arguments.without_operators)
    return arguments.plans.empty() ? add_curves(arguments, inputs, table, staging)
                                   : add_operators(arguments, inputs, table, staging);
  table.source = where_and_when() + "; quintet calibrate";
  table.not_measured.emplace_back("operators");
  return std::nullopt;
}

Result<CostTable> calibrated(const CalibrateArguments& arguments, const Inputs& inputs,
                             Cluster* cluster) {
  CostTable table;
  table.name = processor_name() + ", " + arguments.kernels + " kernels";
  table.gpu = "any";
  table.communication.source = "not measured";
  std::vector<StagingCosts> staging;
  if (const auto error = add_computing(arguments, inputs, table, staging)) return *error;
  if (!arguments.without_messages)
    if (const auto error = messages(arguments, inputs, cluster, table)) return *error;
  if (table.processors) table.processors->staging = staging;
  return table;
}

std::optional<Error> write(const std::string& name, const std::string& text) {
  Result<DurableFile> file = DurableFile::create(name);
  if (!file) return file.error();
  if (auto error = file->write(text)) return error;
  return file->finish();
}

std::optional<Error> misfit(const CalibrateArguments& arguments) {
  if (!arguments.plans.empty() && arguments.models.size() != 1)
    return Error{"--model", "found " + std::to_string(arguments.models.size()) +
                                "; expected one beside --plan"};
  if (arguments.plans.empty() && !arguments.measured.empty())
    return Error{"--measured", "needs the --plan of each timeline"};
  if (!arguments.measured.empty() && arguments.measured.size() != arguments.plans.size())
    return Error{"--measured", "found " + std::to_string(arguments.measured.size()) +
                                   " timelines for " + std::to_string(arguments.plans.size()) +
                                   " plans; expected one of each, in their order"};
  if (arguments.without_operators && (arguments.without_messages || !arguments.plans.empty()))
    return Error{"--without-operators",
                 "leaves nothing to measure beside --without-messages, and "
                 "--plan asks for operators"};
  if (kernels_of(arguments.kernels) == nullptr)
    return Error{"--kernels", "this build has no oneDNN; accepted are reference, fast"};
  return std::nullopt;
}

ExitCode calibrate(const CalibrateArguments& given, Cluster* cluster) {
  CalibrateArguments arguments = given;
  if (const auto error = misfit(arguments)) return complain(*error);
  if (arguments.models.empty()) {  // a plain GPT, as wide as --largest says
    arguments.models = {"tiny-gpt"};
    if (arguments.smallest == 0) arguments.smallest = 64;
    if (arguments.largest == 0) arguments.largest = 512;
  }
  const Result<Inputs> inputs = read_inputs(arguments);
  if (!inputs) return complain(inputs.error());
  if (arguments.plans.empty())
    if (const auto range = range_of(arguments, *inputs); !range) return complain(range.error());
  if (cluster != nullptr)
    if (const auto error = misplaced(cluster->job(), inputs->topology)) return complain(*error);
  if (const auto error = unrest(arguments.busy)) {
    complain(*error);
    return ExitCode::answer_is_no;
  }
  const Result<CostTable> table = calibrated(arguments, *inputs, cluster);
  if (!table) {
    complain(table.error());
    return ExitCode::answer_is_no;
  }
  if (const auto error = write(arguments.output, text_of(*table))) return complain(*error);
  std::fprintf(stderr, "%zu operators, %zu curves of operators, %zu of collectives in %s\n",
               table->operators.size(), table->curves.size(), table->communication.curves.size(),
               arguments.output.c_str());
  std::fputs(message_summary(*table).c_str(), stdout);
  for (const std::string& each : table->not_measured)
    std::printf("Not measured: %s.\n", each.c_str());
  return ExitCode::done;
}

ExitCode calibrate_anywhere(const CalibrateArguments& arguments) {
  return as_started({arguments.address, arguments.rendezvous, arguments.token_file}, arguments.busy,
                    [&](Cluster* cluster) { return calibrate(arguments, cluster); });
}

}  // namespace

std::unique_ptr<Verb> add_calibrate(CLI::App& program) {
  return add_verb<CalibrateArguments>(
      program,
      {"calibrate", "Measure what plans cost on this machine's cores, for quintet simulate",
       "Examples:\n"
       "  quintet calibrate --topology box-4-1gbit --largest 512 -o costs.json\n"
       "  quintet calibrate --model gpt2 --plan plan.json --topology box-4-1gbit -o costs.json\n"
       "  mpirun quintet calibrate --topology cluster.json --without-operators -o costs.json\n"
       "Exit: 0 done, 1 it cannot be measured here or now, 2 wrong usage or input."},
      {add_calibrate_options, calibrate_anywhere});
}

}  // namespace quintet::calibrate
