#include "calibrate/command/calibrate_command.h"

#include <fmt/format.h>

#include <cstdio>

#include "calibrate/command/calibrate_inputs.h"
#include "calibrate/command/calibrate_options.h"
#include "calibrate/command/calibrated_table.h"
#include "calibrate/machine/machine_unrest.h"
#include "calibrate/machine/processor_choice.h"
#include "calibrate/messages/as_started.h"
#include "calibrate/messages/message_calibration.h"
#include "calibrate/messages/message_summary.h"
#include "sim/base/output_place.h"
#include "sim/usage/complain.h"

namespace quintet::calibrate {
namespace {

std::optional<Error> misfit(const CalibrateArguments& arguments) {
  if (!arguments.plans.empty() && arguments.models.size() != 1)
    return Error{"--model",
                 fmt::format("found {}; expected one beside --plan", arguments.models.size())};
  if (arguments.plans.empty() && !arguments.measured.empty())
    return Error{"--measured", "needs the --plan of each timeline"};
  if (!arguments.measured.empty() && arguments.measured.size() != arguments.plans.size())
    return Error{
        "--measured",
        fmt::format("found {} timelines for {} plans; expected one of each, in their order",
                    arguments.measured.size(), arguments.plans.size())};
  if (arguments.without_operators && (arguments.without_messages || !arguments.plans.empty()))
    return Error{"--without-operators",
                 "leaves nothing to measure beside --without-messages, and "
                 "--plan asks for operators"};
  if (arguments.plans.empty() && arguments.hosts && !arguments.without_operators)
    return Error{
        "--hosts",
        "needs --plan or --without-operators: probes run in the topology as its file says"};
  if (processor_of(arguments.device) == Processor::gpu && !arguments.plans.empty() &&
      arguments.measured.empty())
    return Error{"--plan",
                 "on GPUs needs the --measured timeline of each plan, which quintet run --device "
                 "gpu --timeline writes; or leave it out for curves of all sizes"};
  if (kernels_of(arguments.kernels) == nullptr)
    return Error{"--kernels", "this build has no oneDNN; accepted are reference, fast"};
  return std::nullopt;
}

// Measuring takes minutes: what would fail at its end fails before.
std::optional<Error> no_place_for_results(const CalibrateArguments& arguments) {
  if (auto error = no_place("-o", arguments.output)) return error;
  if (auto error = one_place({{"-o", arguments.output}, {"--journal", arguments.journal}}))
    return error;
  return arguments.journal.empty() ? std::nullopt : no_place("--journal", arguments.journal);
}

// What only ranks that mpirun or srun started make use of.
std::optional<Error> of_other_start(const CalibrateArguments& arguments, const Cluster* cluster) {
  if (cluster != nullptr) return std::nullopt;
  const std::string why = "is for ranks that mpirun or srun started; leave it out";
  if (!arguments.rendezvous.empty()) return Error{"--rendezvous", why};
  if (!arguments.token_file.empty()) return Error{"--token-file", why};
  return std::nullopt;
}

ExitCode calibrate(const CalibrateArguments& given, Cluster* cluster) {
  CalibrateArguments arguments = given;
  if (const auto error = misfit(arguments)) return complain(*error);
  if (const auto error = no_place_for_results(arguments)) return complain(*error);
  if (const auto error = of_other_start(arguments, cluster)) return complain(*error);
  if (arguments.models.empty()) {  // a plain GPT, as wide as --largest says
    arguments.models = {"tiny-gpt"};
    const bool gpu = processor_of(arguments.device) == Processor::gpu;
    if (arguments.smallest == 0) arguments.smallest = gpu ? 256 : 64;
    if (arguments.largest == 0) arguments.largest = gpu ? 2048 : 512;
  }
  const Result<CalibrateInputs> inputs = read_inputs(arguments);
  if (!inputs) return complain(inputs.error());
  if (arguments.plans.empty())
    if (const auto range = range_of(arguments, *inputs); !range) return complain(range.error());
  const Processor processor = processor_of(arguments.device);
  if (const auto error = other_ranks(inputs->topology, processor)) return complain(*error);
  if (cluster != nullptr)
    if (const auto error = misplaced(cluster->job(), inputs->topology)) return complain(*error);
  if (const auto error = missing_gpu(processor)) {
    complain(*error);
    return ExitCode::answer_is_no;
  }
  if (const auto error = unrest(arguments.busy)) {
    complain(*error);
    return ExitCode::answer_is_no;
  }
  const Result<CostTable> table = calibrated_table(arguments, *inputs, cluster);
  if (!table) {
    complain(table.error());
    return ExitCode::answer_is_no;
  }
  if (const auto error = write_table(arguments.output, *table)) return complain(*error);
  std::fprintf(stderr, "%zu operators, %zu curves of operators, %zu of collectives in %s\n",
               table->operators.size(), table->curves.size(), table->communication.curves.size(),
               arguments.output.c_str());
  std::fputs(message_summary(*table).c_str(), stdout);
  for (const std::string& each : table->not_measured)
    std::printf("Not measured: %s.\n", each.c_str());
  return ExitCode::done;
}

ExitCode calibrate_anywhere(const CalibrateArguments& arguments) {
  return as_started({arguments.address, arguments.rendezvous, arguments.token_file,
                     processor_of(arguments.device)},
                    arguments.busy,
                    [&](Cluster* cluster) { return calibrate(arguments, cluster); });
}

}  // namespace

std::unique_ptr<Verb> calibrate_verb() {
  return make_verb<CalibrateArguments>(
      {"calibrate", "Measure what plans cost on this machine's cores or GPUs, for quintet simulate",
       "Examples:\n"
       "  quintet calibrate --topology box-4-1gbit --largest 512 -o costs.json\n"
       "  quintet calibrate --model gpt2 --plan plan.json --topology box-4-1gbit -o costs.json\n"
       "  quintet calibrate --device gpu --topology h200-1 --model gpt2 -o costs.json\n"
       "  mpirun quintet calibrate --topology cluster.json --without-operators -o costs.json\n"
       "Exit: 0 done, 1 it cannot be measured here or now, 2 wrong usage or input."},
      {calibrate_options, calibrate_anywhere});
}

}  // namespace quintet::calibrate
