// collnet-direct: every rank of a host heads one share: all hand it theirs, the network's switches
// add what the heads of all hosts send (SHARP), and all fetch the result at the heads.
//
//      0 --.                            .-- 0
//      1 --+-> head r -> network -> head r -+-- 1     for r = 0, 1, 2 at once
//      2 --'                            '-- 2
//
// Ranks without such a network do not execute it.
#include <algorithm>

#include "sim/ccl/algorithms/collective_algorithm.h"
#include "sim/ccl/algorithms/edge_sum.h"

namespace quintet {

namespace {

void add_through_heads(EdgeSum& sum, CollectiveKind kind, const std::vector<int>& members,
                       double share) {
  for (const int head : members)
    for (const int rank : members) {
      if (kind != CollectiveKind::all_gather) sum.add(rank, head, share, Effect::reduce);
      if (kind != CollectiveKind::reduce_scatter) sum.add(head, rank, share, Effect::copy);
    }
}

std::vector<TrafficPhase> direct_traffic(CollectiveKind kind, const HostLayout& layout) {
  const double share = 1.0 / ranks_per_host(layout);
  EdgeSum sum;
  for (const std::vector<int>& members : layout.hosts) {
    add_through_heads(sum, kind, members, share);
    for (const int head : members)
      if (layout.hosts.size() > 1) add_through_network(sum, kind, head, share, rank_count(layout));
  }
  return {sum.phase(kind, switch_hops(kind, layout))};
}

// Its own graph is not part of a shape: that of NVLS stands for it where there is one, since both
// give every GPU one channel.
const ChannelGraph& graph_of(const TunerCell& cell) {
  return cell.shape.nvls.channels > 0 ? cell.shape.nvls : cell.shape.tree;
}

bool possible(const TunerCell& cell) {
  return cell.shape.nodes > 1 && cell.shape.in_network && cell.shape.nvswitch &&
         cell.per_node() <= 8 && one_head_per_rank(cell, graph_of(cell));
}

double bandwidth(const TunerCell& cell) {
  const ChannelGraph& graph = graph_of(cell);
  const double intra = gigabytes_per_second(graph.intra);
  if (cell.gathers_or_scatters())
    return cell.per_node() * std::min(intra, 0.9 * gigabytes_per_second(graph.inter));
  const double gpus_per_nic = cell.per_node() / graph.channels;
  const double shared = gpus_per_nic - (gpus_per_nic - 1) / 2;
  const double bus = graph.channels * intra / shared;
  return 0.5 * (bus * (cell.shape.generation >= GpuGeneration::hopper ? 0.85 : 1.0));
}

double latency(const TunerCell& cell) {
  const double others = cell.per_node() - 1;
  return 2 * (std::min(1.0, others) * local_latency(cell) + others * 0.4) + network_latency(cell);
}

constexpr NcclCost cost{
    .possible = possible, .bandwidth = bandwidth, .latency = latency, .channels = usual_channels};

}  // namespace

extern constinit const CollectiveAlgorithm collnet_direct_row{
    .algorithm = Algorithm::collnet_direct,
    .kinds = {CollectiveKind::all_reduce, CollectiveKind::reduce_scatter,
              CollectiveKind::all_gather},
    .hosts = uniform,
    .crossing = CollectiveAlgorithm::Crossing::by_levels,
    .traffic = direct_traffic,
    .nccl = &cost,
};

}  // namespace quintet
