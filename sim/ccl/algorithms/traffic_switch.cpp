// Collectives that a switch reduces: NVLS inside a host, CollNet (SHARP) across hosts.
#include <cstddef>

#include "sim/ccl/algorithms/edge_sum.h"
#include "sim/ccl/traffic_by_algorithm.h"

namespace quintet {

namespace {

// What a head hands to the network and gets back, per byte of the collective. It stands for `share`
// of the buffer; of a scattered or gathered one the group holds one n-th each.
void through_network(EdgeSum& sum, CollectiveKind kind, int head, double share, int ranks) {
  const double own = 1.0 / ranks;
  const double sent = kind == CollectiveKind::all_gather ? own : share;
  const double received = kind == CollectiveKind::reduce_scatter ? own : share;
  const Effect up = kind == CollectiveKind::all_gather ? Effect::copy : Effect::reduce;
  sum.add(head, network_reducer, sent, up);
  sum.add(network_reducer, head, received, Effect::copy);
}

// multimem.ld_reduce reads one share from every rank at once, multimem.st writes one to every rank.
void through_switch(EdgeSum& sum, CollectiveKind kind, int rank, double share) {
  if (kind != CollectiveKind::all_gather) {
    sum.add(rank, host_switch, 1.0, Effect::reduce);
    sum.add(host_switch, rank, share, Effect::copy);
  }
  if (kind != CollectiveKind::reduce_scatter) {
    sum.add(rank, host_switch, share, Effect::copy);
    sum.add(host_switch, rank, 1.0, Effect::copy);
  }
}

// Everyone hands every head its share directly, and fetches the result there.
void through_heads(EdgeSum& sum, CollectiveKind kind, const std::vector<int>& members,
                   double share) {
  for (const int head : members)
    for (const int rank : members) {
      if (kind != CollectiveKind::all_gather) sum.add(rank, head, share, Effect::reduce);
      if (kind != CollectiveKind::reduce_scatter) sum.add(head, rank, share, Effect::copy);
    }
}

int hops(CollectiveKind kind, const HostLayout& layout) {
  const int network = layout.hosts.size() > 1 ? 1 : 0;
  return network + (kind == CollectiveKind::all_reduce ? 2 : 1);
}

}  // namespace

// Every rank heads one share.
TrafficPhase nvls_traffic(CollectiveKind kind, const HostLayout& layout) {
  const int per_host = ranks_per_host(layout);
  EdgeSum sum;
  for (const std::vector<int>& members : layout.hosts)
    for (const int rank : members) {
      if (per_host > 1) through_switch(sum, kind, rank, 1.0 / per_host);
      if (layout.hosts.size() > 1)
        through_network(sum, kind, rank, 1.0 / per_host, rank_count(layout));
    }
  return sum.phase(kind, hops(kind, layout));
}

TrafficPhase collnet_direct_traffic(CollectiveKind kind, const HostLayout& layout) {
  const int per_host = ranks_per_host(layout);
  EdgeSum sum;
  for (const std::vector<int>& members : layout.hosts) {
    through_heads(sum, kind, members, 1.0 / per_host);
    for (const int head : members)
      if (layout.hosts.size() > 1)
        through_network(sum, kind, head, 1.0 / per_host, rank_count(layout));
  }
  return sum.phase(kind, hops(kind, layout));
}

}  // namespace quintet
