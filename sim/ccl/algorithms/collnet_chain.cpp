// collnet-chain: NCCL's chain inside each host up to the owner of a NIC, whose sums the network's
// switches add (SHARP); results come back the same way.
//
//      host 0: 3 -> 2 -> 1 -> 0 --.
//      host 1: 7 -> 6 -> 5 -> 4 --+-- network reduces
//
// Ranks without such a network do not execute it.
#include "sim/ccl/algorithms/channels.h"
#include "sim/ccl/algorithms/collective_algorithm.h"

namespace quintet {

namespace {

std::vector<TrafficPhase> chain_traffic(CollectiveKind kind, const HostLayout& layout) {
  const Channels channels(layout);
  EdgeSum sum;
  add_chains(sum, channels);
  for (int host = 0; host < static_cast<int>(layout.hosts.size()); ++host)
    for (int channel = 0; channel < channels.count; ++channel)
      add_up_and_down(sum, channels.rank(host, channel), network_reducer, channels.share);
  return {sum.phase(kind, 2 * ranks_per_host(layout))};
}

bool possible(const TunerCell& cell) {
  return cell.shape.nodes > 1 && cell.shape.in_network && cell.per_node() <= 8;
}

// Its own graph is not part of a shape: the tree's stands for it.
double bandwidth(const TunerCell& cell) {
  const ChannelGraph& graph = cell.shape.tree;
  return 0.5 * (graph.channels * gigabytes_per_second(graph.intra));
}

double latency(const TunerCell& cell) {
  return 2 * (cell.per_node() - 1) * local_latency(cell) + network_latency(cell);
}

constexpr NcclCost cost{
    .possible = possible, .bandwidth = bandwidth, .latency = latency, .channels = usual_channels};

}  // namespace

extern constinit const CollectiveAlgorithm collnet_chain_row{
    .algorithm = Algorithm::collnet_chain,
    .kinds = {CollectiveKind::all_reduce},
    .hosts = uniform,
    .traffic = chain_traffic,
    .nccl = &cost,
};

}  // namespace quintet
