// multi-ring: the bytes spread evenly over rings that visit the hosts in strides of their own, one
// for each way in which circuits join the group's hosts (TopoOpt, NSDI'23, section 4: AllReduce
// permutations).
//
//      stride 1: 0 -> 1 -> 2 -> 3 -> 4 -> 0      every hop is a circuit of its own, so that all
//      stride 2: 0 -> 2 -> 4 -> 1 -> 3 -> 0      circuits of a host carry at once
//
// Ring s leaves a host at member s, cyclic, and comes in at the member after it. Without circuits
// there is one ring of stride 1. Terms are added as by ring; ranks do not execute it.
#include <cstddef>

#include "sim/ccl/algorithms/collective_algorithm.h"
#include "sim/ccl/algorithms/edge_sum.h"

namespace quintet {

namespace {

// Everyone on a host, the one that sends out last.
void append_host(std::vector<int>& order, const std::vector<int>& members, std::size_t leave) {
  for (std::size_t i = 1; i <= members.size(); ++i)
    order.push_back(members[(leave + i) % members.size()]);
}

std::vector<int> order_of(const HostLayout& layout, int stride, std::size_t ring) {
  std::vector<int> order;
  const std::size_t hosts = layout.hosts.size();
  for (std::size_t i = 0; i < hosts; ++i)
    append_host(order, layout.hosts[i * static_cast<std::size_t>(stride) % hosts], ring);
  return order;
}

std::vector<TrafficPhase> rings_traffic(CollectiveKind kind, const HostLayout& layout) {
  const std::vector<int> strides = layout.strides.empty() ? std::vector{1} : layout.strides;
  const int n = rank_count(layout);
  const double others = static_cast<double>(n - 1) / n / static_cast<double>(strides.size());
  EdgeSum sum;
  for (std::size_t ring = 0; ring < strides.size(); ++ring) {
    const std::vector<int> order = order_of(layout, strides[ring], ring);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const int from = order[i], to = order[(i + 1) % order.size()];
      if (kind != CollectiveKind::all_gather) sum.add(from, to, others, Effect::reduce);
      if (kind != CollectiveKind::reduce_scatter) sum.add(from, to, others, Effect::copy);
    }
  }
  return {sum.phase(kind, ring_steps(kind, n))};
}

}  // namespace

extern constinit const CollectiveAlgorithm multi_ring_row{
    .algorithm = Algorithm::multi_ring,
    .kinds = {CollectiveKind::all_reduce, CollectiveKind::reduce_scatter,
              CollectiveKind::all_gather},
    .edges = CollectiveAlgorithm::Edges::one_each_step,
    .traffic = rings_traffic,
};

}  // namespace quintet
