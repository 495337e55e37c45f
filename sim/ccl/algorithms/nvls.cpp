// nvls: the NVSwitch of a host adds (multimem.ld_reduce) and multicasts (multimem.st); PTX ISA 8.1,
// "multimem". Every rank heads one share. Over several hosts the network reduces the heads' sums.
//
//      0 --.            .--> 0         each head reads its share, added by the switch,
//      1 --+-- switch --+--> 1         and stores it to all at once
//      2 --'            '--> 2
//
// Ranks without such a switch do not execute it; nvls_schedule shows it as a rank of its own.
#include <algorithm>
#include <cassert>

#include "sim/ccl/algorithms/collective_algorithm.h"
#include "sim/ccl/algorithms/edge_sum.h"

namespace quintet {

namespace {

void add_through_switch(EdgeSum& sum, CollectiveKind kind, int rank, double share) {
  if (kind != CollectiveKind::all_gather) {
    sum.add(rank, host_switch, 1.0, Effect::reduce);
    sum.add(host_switch, rank, share, Effect::copy);
  }
  if (kind != CollectiveKind::reduce_scatter) {
    sum.add(rank, host_switch, share, Effect::copy);
    sum.add(host_switch, rank, 1.0, Effect::copy);
  }
}

std::vector<TrafficPhase> nvls_traffic(CollectiveKind kind, const HostLayout& layout) {
  const int per_host = ranks_per_host(layout);
  EdgeSum sum;
  for (const std::vector<int>& members : layout.hosts)
    for (const int rank : members) {
      if (per_host > 1) add_through_switch(sum, kind, rank, 1.0 / per_host);
      if (layout.hosts.size() > 1)
        add_through_network(sum, kind, rank, 1.0 / per_host, rank_count(layout));
    }
  return {sum.phase(kind, switch_hops(kind, layout))};
}

bool possible(const TunerCell& cell) {
  const CommunicatorShape& shape = cell.shape;
  const bool several_nodes = shape.nodes > 1;
  return shape.nvls.channels >= 2 && (!several_nodes || shape.in_network) &&
         !(cell.gathers_or_scatters() && cell.per_node() > 32) &&
         (!several_nodes || one_head_per_rank(cell, shape.nvls));
}

double bandwidth(const TunerCell& cell) {
  const ChannelGraph& graph = cell.shape.nvls;
  const double bus = graph.channels * std::min(nvls_intra(cell), gigabytes_per_second(graph.inter));
  return cell.gathers_or_scatters() ? bus : bandwidth_by_steps(cell, bus);
}

double latency(const TunerCell& cell) {
  return local_latency(cell) + (cell.shape.nodes > 1 ? network_latency(cell) : 0.0);
}

int channels(const TunerCell& cell, Bytes) {
  const int own = switch_channels(cell);
  return cell.shape.nodes > 1 ? std::min(own, communicator_channels(cell.shape)) : own;
}

constexpr NcclCost cost{
    .possible = possible, .bandwidth = bandwidth, .latency = latency, .channels = channels};

}  // namespace

// Four steps that the hardware pipelines: operands rise to the switch, each rank gets its reduced
// share, hands it back, and the switch multicasts it, to the owner too.
Schedule nvls_schedule(int ranks) {
  assert(ranks >= 1);
  Schedule schedule{.kind = CollectiveKind::all_reduce, .ranks = ranks, .chunks = ranks};
  if (ranks == 1) return schedule;
  const int the_switch = ranks;
  schedule.steps = 4;
  for (int rank = 0; rank < ranks; ++rank)
    for (int chunk = 0; chunk < ranks; ++chunk)
      schedule.transfers.push_back({0, rank, the_switch, chunk, Effect::reduce});
  for (int rank = 0; rank < ranks; ++rank)
    schedule.transfers.push_back({1, the_switch, rank, rank, Effect::copy});
  for (int rank = 0; rank < ranks; ++rank)
    schedule.transfers.push_back({2, rank, the_switch, rank, Effect::copy});
  for (int rank = 0; rank < ranks; ++rank)
    for (int chunk = 0; chunk < ranks; ++chunk)
      schedule.transfers.push_back({3, the_switch, rank, chunk, Effect::copy});
  return schedule;
}

extern constinit const CollectiveAlgorithm nvls_row{
    .algorithm = Algorithm::nvls,
    .kinds = {CollectiveKind::all_reduce, CollectiveKind::reduce_scatter,
              CollectiveKind::all_gather},
    .hosts = uniform,
    .through_nvswitch = true,
    .crossing = CollectiveAlgorithm::Crossing::by_levels,
    .traffic = nvls_traffic,
    .nccl = &cost,
};

}  // namespace quintet
