#include "sim/ccl/algorithms/switches.h"

namespace quintet {

void add_through_network(EdgeSum& sum, CollectiveKind kind, int head, double share, int ranks) {
  const double own = 1.0 / ranks;
  const double sent = kind == CollectiveKind::all_gather ? own : share;
  const double received = kind == CollectiveKind::reduce_scatter ? own : share;
  const Effect up = kind == CollectiveKind::all_gather ? Effect::copy : Effect::reduce;
  sum.add(head, network_reducer, sent, up);
  sum.add(network_reducer, head, received, Effect::copy);
}

int switch_hops(CollectiveKind kind, const HostLayout& layout) {
  const int network = layout.hosts.size() > 1 ? 1 : 0;
  return network + (kind == CollectiveKind::all_reduce ? 2 : 1);
}

}  // namespace quintet
