#include "sim/simulate/not_priced.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "sim/base/quantity_text.h"
#include "sim/cost/file/operator_text.h"
#include "sim/cost/kernel_time.h"
#include "sim/cost/operator_source.h"
#include "sim/program/tasks.h"
#include "sim/simulate/walk/rank_operators.h"

namespace quintet {

namespace {

std::string covered_types(const CostTable& costs) {
  std::string types;
  for (const GemmCosts& gemm : costs.gemm)
    if (missing_for(gemm.type, costs).empty()) types += " " + std::string(name_of(gemm.type));
  return types.empty() ? " none" : types;
}

AttentionKernel kernel_of(const Plan& plan) {
  const bool flash = plan.parallelism.attention == AttentionChoice::flash;
  return flash ? AttentionKernel::flash : AttentionKernel::unfused;
}

bool has_measured_operators(const CostTable& costs) {
  return !costs.operators.empty() || !costs.curves.empty();
}

std::optional<Error> not_covered(const Plan& plan, const CostTable& costs) {
  const std::string place = "cost table \"" + costs.name + "\"";
  const auto stages = static_cast<std::size_t>(plan.parallelism.pipeline);
  if (has_measured_operators(costs)) return std::nullopt;  // unpriced() looks at each
  if (!costs.stages.empty()) {
    if (costs.stages.size() >= stages) return std::nullopt;
    const std::string profiled = std::to_string(costs.stages.size());
    return Error{place + ": stages",
                 fmt::format("there are profiles of {} stages, the plan has {}; add the others, or "
                             "set parallelism.pipeline to {} or less",
                             profiled, stages, profiled)};
  }
  const std::string missing = missing_for(plan.parallelism.compute_type, costs, kernel_of(plan));
  if (missing.empty()) return std::nullopt;
  return Error{place, "has no costs of " + missing +
                          "; add them, or set parallelism.compute_type to a " +
                          "type it covers:" + covered_types(costs)};
}

// What the plan asks beside whole stages.
std::optional<Error> beside_profiles(const Plan& plan, const CostTable& costs) {
  if (costs.stages.empty()) return std::nullopt;
  const std::string place = "cost table \"" + costs.name + "\": stages";
  if (plan.parallelism.samples.vary())
    return Error{place,
                 "profiles of whole stages do not tell what samples of other lengths take: leave "
                 "out parallelism.samples"};
  if (!is_plain(plan.parallelism.replicator))
    return Error{place,
                 "profiles of whole stages do not tell what a replicator computes: leave out "
                 "parallelism.replicator, or name another table by --costs"};
  return std::nullopt;
}

// The plan's offload; a Program made by hand may copy without costs.
std::optional<Error> unpriced_copies(const Plan& plan, const CostTable& costs) {
  if (plan.parallelism.offload == Offload{}) return std::nullopt;
  const std::string place = "cost table \"" + costs.name + "\"";
  if (!costs.stages.empty())
    return Error{place + ": stages",
                 "profiles of whole stages do not tell what offload changes: leave out "
                 "parallelism.offload"};
  if (costs.copy.host_to_device > Bandwidth{} && costs.copy.device_to_host > Bandwidth{})
    return std::nullopt;
  return Error{place + ": copy",
               "has no rates between the host's memory and a GPU's, which parallelism.offload "
               "needs; add host_to_device and device_to_host, or leave out offload"};
}

// A curve that prices one length of a sample prices all.
std::optional<Error> unpriced(const Program& program, const CostTable& costs) {
  if (!has_measured_operators(costs)) return std::nullopt;  // not_covered() knows
  ComputeKind kind{&costs};
  if (!program.dealt.empty()) kind.samples = program.dealt.of_rank.front();
  const RankOperators operators(program);
  const std::vector<const Instruction*> instructions = all_instructions(program);
  for (std::size_t index = 0; index < instructions.size(); ++index)
    if (const auto work = operators.at(index, kind, 0); work && !is_priced(*work, costs))
      return Error{"cost table \"" + costs.name + "\": operators",
                   "has no measured time of \"" + instructions[index]->name + "\" (" +
                       operator_text(*work) + "); measure it too: quintet calibrate"};
  return std::nullopt;
}

}  // namespace

std::optional<Error> not_priced(const Program& program, const Plan& plan, const CostTable& costs) {
  if (const auto error = not_covered(plan, costs)) return error;
  if (const auto error = unpriced_copies(plan, costs)) return error;
  if (const auto error = beside_profiles(plan, costs)) return error;
  return unpriced(program, costs);
}

}  // namespace quintet
