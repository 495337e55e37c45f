#include "sim/ccl/choice/cpu_choice.h"

#include "sim/ccl/algorithms/collective_algorithm.h"

namespace quintet {

namespace {

Algorithm usual(CollectiveKind kind) {
  return kind == CollectiveKind::all_to_all ? Algorithm::direct : Algorithm::ring;
}

}  // namespace

CollectiveRule rule_for(const Ccl& ccl, CollectiveKind kind, Axis axis) {
  CollectiveRule merged;
  for (const CollectiveRule& rule : ccl.rules) {
    if (rule.kind.value_or(kind) != kind || rule.axis.value_or(axis) != axis) continue;
    if (!merged.algorithm) merged.algorithm = rule.algorithm;
    if (!merged.protocol) merged.protocol = rule.protocol;
    if (!merged.channels) merged.channels = rule.channels;
  }
  return merged;
}

bool cpu_ranks_do(CollectiveKind kind, Algorithm algorithm) {
  return row_of(algorithm).executed.contains(kind);
}

Algorithm cpu_algorithm(CollectiveKind kind, std::optional<Algorithm> asked,
                        const HostLayout& layout) {
  const Algorithm algorithm = asked.value_or(usual(kind));
  const bool done = cpu_ranks_do(kind, algorithm) && row_of(algorithm).executed_on(layout);
  return done ? algorithm : usual(kind);
}

Algorithm algorithm_without_tuner(CollectiveKind kind, std::optional<Algorithm> asked,
                                  const HostLayout& layout) {
  const Algorithm algorithm = asked.value_or(usual(kind));
  const NcclCost* const nccl = row_of(algorithm).nccl;
  const bool done = nccl == nullptr || nccl->hosts(layout);
  return done && !traffic(kind, algorithm, layout).empty() ? algorithm : usual(kind);
}

}  // namespace quintet
