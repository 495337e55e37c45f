#include "sim/analytic/covered.h"

#include <string>

#include "sim/cost/kernel_time.h"
#include "sim/parallelism/program_builder.h"

namespace quintet {

namespace {

Error only_fluid(const std::string& field, const std::string& why) {
  return {field, why + ", which the analytic fidelity has no pieces for; fluid prices it"};
}

std::optional<Error> uncovered_machine(const Topology& topology, const CostTable& costs) {
  if (costs.processors || topology.gpu_specs.empty())
    return only_fluid("machine", "ranks compute on processor cores that they share");
  if (topology.gpu_specs.size() > 1 || !costs.other_gpus.empty())
    return only_fluid("machine", "hosts have GPUs of several kinds");
  if (!costs.stages.empty())
    return only_fluid("cost table: stages", "stages have profiles in place of operators");
  return std::nullopt;
}

std::optional<Error> uncovered_parallelism(const Parallelism& parallelism,
                                           const CompileOptions& options) {
  if (parallelism.samples.vary())
    return only_fluid("parallelism.samples", "samples have lengths of their own");
  if (!is_plain(parallelism.replicator))
    return only_fluid("parallelism.replicator", "replicas exchange other things than gradients");
  if (parallelism.offload != Offload{})
    return only_fluid("parallelism.offload", "copies go to the host's memory and back");
  if (options.list_collectives && parallelism.sharding != Sharding::none)
    return only_fluid("parallelism.sharding", "the software moves tensors one by one");
  return std::nullopt;
}

}  // namespace

std::optional<Error> not_covered(const Plan& plan, const Topology& topology, const CostTable& costs,
                                 const CompileOptions& options) {
  if (const auto error = uncovered_machine(topology, costs)) return error;
  if (const auto error = uncovered_parallelism(plan.parallelism, options)) return error;
  if (plan.host_net.head_of_line == HeadOfLine::neighbours && plan.parallelism.pipeline > 1)
    return only_fluid("host_net.head_of_line", "messages of two neighbours take turns");
  if (message_delegates(plan) > 1)
    return only_fluid("host_net.delegates", "several delegates send at a time");
  if (!costs.operators.empty() || !costs.curves.empty()) return std::nullopt;
  const AttentionKernel kernel = plan.parallelism.attention == AttentionChoice::flash
                                     ? AttentionKernel::flash
                                     : AttentionKernel::unfused;
  const std::string missing = missing_for(plan.parallelism.compute_type, costs, kernel);
  if (missing.empty()) return std::nullopt;
  return Error{"parallelism.compute_type", "the cost table has no costs of " + missing};
}

}  // namespace quintet
