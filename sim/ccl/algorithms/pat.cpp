// pat: NCCL's Parallel Aggregated Trees (arXiv 2506.20252), a binomial tree from every rank to all
// others, far hops first.
#include <bit>

#include "sim/ccl/algorithms/collective_algorithm.h"
#include "sim/ccl/algorithms/edge_sum.h"

namespace quintet {

namespace {

int log2_ceil(int value) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(value - 1)));
}

// Far hops first: the block `offset` away comes from the rank that many below without its lowest
// bit, so distance d carries one block for every offset whose lowest bit is d.
std::vector<TrafficPhase> pat_traffic(CollectiveKind kind, const HostLayout& layout) {
  const int n = rank_count(layout);
  const bool gathers = kind == CollectiveKind::all_gather;
  EdgeSum sum;
  for (int distance = 1; distance < n; distance *= 2) {
    const int blocks = (n - 1 - distance) / (2 * distance) + 1;
    const double share = static_cast<double>(blocks) / n;
    for (int position = 0; position < n; ++position) {
      const int below = layout.hosts[static_cast<std::size_t>(position)].front();
      const int above = layout.hosts[static_cast<std::size_t>((position + distance) % n)].front();
      if (gathers) sum.add(below, above, share, Effect::copy);
      if (!gathers) sum.add(above, below, share, Effect::reduce);
    }
  }
  return {sum.phase(kind, log2_ceil(n))};
}

double latency(const TunerCell& cell) {
  return depth_over_nodes(cell) * network_latency(cell) / 3.5 + 2.8 * cell.shape.ranks;
}

bool one_rank_each(const HostLayout& layout) {
  return ranks_per_host(layout) == 1;
}

constexpr NcclCost cost{
    .hosts = one_rank_each,
    .possible =
        [](const TunerCell& cell) {
          return cell.shape.nodes > 1 && cell.shape.nodes == cell.shape.ranks;
        },
    .bandwidth =
        [](const TunerCell& cell) { return 0.75 * graph_bandwidth(cell, cell.shape.ring); },
    .latency = latency,
    .channels = usual_channels,
};

}  // namespace

extern constinit const CollectiveAlgorithm pat_row{
    .algorithm = Algorithm::pat,
    .kinds = {CollectiveKind::reduce_scatter, CollectiveKind::all_gather},
    .hosts = one_rank_each,
    .crossing = CollectiveAlgorithm::Crossing::by_levels,
    .traffic = pat_traffic,
    .nccl = &cost,
};

}  // namespace quintet
