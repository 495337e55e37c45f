// nvls-tree: NVSwitches add inside hosts, the double binary tree across them (double_tree.cpp).
//
//      ranks of host 0 -- switch -- head --.
//      ranks of host 1 -- switch -- head --+-- tree over hosts, and back
//
// Ranks without such a switch do not execute it.
#include <algorithm>
#include <bit>

#include "sim/ccl/algorithms/channels.h"
#include "sim/ccl/algorithms/collective_algorithm.h"

namespace quintet {

namespace {

// Inside a host: every rank's operands rise, every head's reduced share comes down and goes back,
// and all of the result comes down to everyone.
void add_through_switch(EdgeSum& sum, const Channels& channels) {
  for (int host = 0; host < static_cast<int>(channels.layout.hosts.size()); ++host) {
    for (const int rank : channels.layout.hosts[static_cast<std::size_t>(host)]) {
      sum.add(rank, host_switch, 1.0, Effect::reduce);
      sum.add(host_switch, rank, 1.0, Effect::copy);
    }
    for (int channel = 0; channel < channels.count; ++channel) {
      const int head = channels.rank(host, channel);
      sum.add(host_switch, head, channels.share, Effect::copy);
      sum.add(head, host_switch, channels.share, Effect::copy);
    }
  }
}

std::vector<TrafficPhase> tree_traffic(CollectiveKind kind, const HostLayout& layout) {
  const Channels channels(layout);
  EdgeSum sum;
  if (ranks_per_host(layout) > 1) add_through_switch(sum, channels);
  add_double_tree(sum, channels);
  const int depth = static_cast<int>(std::bit_width(layout.hosts.size())) - 1;
  return {sum.phase(kind, 2 + 2 * depth)};
}

bool possible(const TunerCell& cell) {
  return cell.shape.nvls.channels >= 2 && cell.shape.nodes > 1;
}

double bandwidth(const TunerCell& cell) {
  const ChannelGraph& graph = cell.shape.nvls;
  double inter = gigabytes_per_second(graph.inter);
  if (cell.shape.nodes <= 2) inter *= 2.0;
  const double each = std::min(std::min(nvls_intra(cell), inter), cell.of(cell.tables.nvls_tree));
  return bandwidth_by_steps(cell, graph.channels * each);
}

double latency(const TunerCell& cell) {
  return local_latency(cell) + 2 * depth_over_nodes(cell) * network_latency(cell);
}

double correction(const TunerCell& cell, Bytes size) {
  const bool corrected =
      cell.shape.generation == GpuGeneration::blackwell && cell.shape.cpu != HostCpu::other;
  return corrected ? tree_correction(cell, size, cell.tables.nvls_tree_corrections) : 1.0;
}

constexpr NcclCost cost{
    .possible = possible,
    .bandwidth = bandwidth,
    .latency = latency,
    .channels = [](const TunerCell& cell, Bytes) { return switch_channels(cell); },
    .bandwidth_correction = correction};

}  // namespace

extern constinit const CollectiveAlgorithm nvls_tree_row{
    .algorithm = Algorithm::nvls_tree,
    .kinds = {CollectiveKind::all_reduce},
    .hosts = uniform,
    .through_nvswitch = true,
    .crossing = CollectiveAlgorithm::Crossing::by_levels,
    .traffic = tree_traffic,
    .nccl = &cost,
};

}  // namespace quintet
