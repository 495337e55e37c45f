#include "sim/ccl/cpu_choice.h"

#include <cassert>

namespace quintet {

namespace {

Algorithm usual(CollectiveKind kind) {
  return kind == CollectiveKind::all_to_all ? Algorithm::direct : Algorithm::ring;
}

bool reduces_or_gathers(CollectiveKind kind) {
  return kind == CollectiveKind::all_reduce || kind == CollectiveKind::reduce_scatter ||
         kind == CollectiveKind::all_gather;
}

bool fits(Algorithm algorithm, const HostLayout& layout) {
  if (algorithm != Algorithm::tree && algorithm != Algorithm::hierarchical) return true;
  return uniform(layout);
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
  switch (algorithm) {
    case Algorithm::ring:
      return kind != CollectiveKind::all_to_all;
    case Algorithm::tree:
    case Algorithm::hierarchical:
      return kind == CollectiveKind::all_reduce;
    case Algorithm::halving_doubling:
      return reduces_or_gathers(kind);
    case Algorithm::direct:
      return reduces_or_gathers(kind) || kind == CollectiveKind::all_to_all;
    case Algorithm::collnet_direct:
    case Algorithm::collnet_chain:
    case Algorithm::nvls:
    case Algorithm::nvls_tree:
    case Algorithm::pat:
      return false;
  }
  assert(false);
  return false;
}

Algorithm cpu_algorithm(CollectiveKind kind, std::optional<Algorithm> asked,
                        const HostLayout& layout) {
  const Algorithm algorithm = asked.value_or(usual(kind));
  return cpu_ranks_do(kind, algorithm) && fits(algorithm, layout) ? algorithm : usual(kind);
}

Algorithm algorithm_without_tuner(CollectiveKind kind, std::optional<Algorithm> asked,
                                  const HostLayout& layout) {
  const Algorithm algorithm = asked.value_or(usual(kind));
  return traffic(kind, algorithm, layout).empty() ? usual(kind) : algorithm;
}

}  // namespace quintet
