// pat: NCCL's Parallel Aggregated Trees (arXiv 2506.20252). In an all-gather every rank's chunk
// goes down a binomial tree, for all ranks the same one, shifted by the rank. All trees take hops
// of one length together, the farthest first, so that long ways carry few bytes; what one rank then
// sends another, a chunk of each of several trees, is aggregated.
//
//   rank 0's tree of 8                                hop       chunks that a rank sends at once
//
//     0 --------------------> 4                       4 away    1
//     0 --------> 2           4 --------> 6           2 away    2
//     0 --> 1     2 --> 3     4 --> 5     6 --> 7     1 away    4
//
// A reduce-scatter is the same backwards: sums come up the trees, near hops first. Any n: what lies
// beyond the last rank is left out.
//
// No more chunks are aggregated than a buffer holds. Once that many come together, `stride` ranks
// apart, what is below them is walked depth first, a hop of each of them in a step: log2 of the
// chunks and then stride - 1 steps in place of log2(n), and log2(stride) chunks that wait for their
// turn. NCCL walks the same trees, and puts other hops between one and the next on its way
// (PatAGAlgorithm, src/include/collectives.h).
//
// Terms of chunk r are added up r's tree.
#include <algorithm>
#include <bit>

#include "sim/ccl/algorithms/collective_algorithm.h"
#include "sim/ccl/algorithms/edge_sum.h"

namespace quintet {

namespace {

using namespace literals;

// NCCL's to a peer, NCCL_BUFFSIZE.
constexpr Bytes buffer = 4_MiB;

int power_of_two_from(int ranks) {
  return static_cast<int>(std::bit_ceil(static_cast<unsigned>(ranks)));
}

int log2_ceil(int value) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(value - 1)));
}

int chunks_together(int ranks, Bytes chunk) {
  int chunks = 1;
  while (4 * chunks <= power_of_two_from(ranks) && 2.0 * chunks * chunk <= buffer) chunks *= 2;
  return chunks;
}

// For each step, how far from their tree's root the ranks are that get its
// chunk; from the rank below without the lowest bit.
std::vector<std::vector<int>> hops(int ranks, int together) {
  std::vector<std::vector<int>> steps;
  const auto add = [&](int first, int every) {
    std::vector<int>& step = steps.emplace_back();
    for (int offset = first; offset < ranks; offset += every) step.push_back(offset);
  };
  const int span = power_of_two_from(ranks);
  const int stride = span / together;
  for (int distance = span / 2; distance >= stride; distance /= 2) add(distance, 2 * distance);
  for (int near = 1; near < stride; ++near) add(near, stride);
  return steps;
}

Schedule scheduled(const ScheduledGroup& group) {
  const int n = group.ranks();
  const bool gathers = group.kind == CollectiveKind::all_gather;
  std::vector<std::vector<int>> steps = hops(n, chunks_together(n, group.size / n));
  if (!gathers) std::reverse(steps.begin(), steps.end());
  Schedule schedule{.kind = group.kind, .ranks = n, .chunks = n};
  for (const std::vector<int>& offsets : steps) {
    for (int root = 0; root < n; ++root)
      for (const int offset : offsets) {
        const int below = (root + (offset & (offset - 1))) % n, above = (root + offset) % n;
        schedule.transfers.push_back(
            gathers ? Transfer{schedule.steps, below, above, root, Effect::copy}
                    : Transfer{schedule.steps, above, below, root, Effect::reduce});
      }
    ++schedule.steps;
  }
  return in_order(std::move(schedule), group);
}

// The schedule's, by distances: one of them carries one chunk for every offset
// of which it is the lowest bit. The steps are those of short messages.
std::vector<TrafficPhase> pat_traffic(CollectiveKind kind, const HostLayout& layout) {
  std::vector<int> order;
  for (const std::vector<int>& host : layout.hosts)
    order.insert(order.end(), host.begin(), host.end());
  const int n = rank_count(layout);
  const auto rank_at = [&](int place) { return order[static_cast<std::size_t>(place % n)]; };
  const bool gathers = kind == CollectiveKind::all_gather;
  EdgeSum sum;
  for (int distance = 1; distance < n; distance *= 2) {
    const int blocks = (n - 1 - distance) / (2 * distance) + 1;
    const double share = static_cast<double>(blocks) / n;
    for (int place = 0; place < n; ++place) {
      const int below = rank_at(place), above = rank_at(place + distance);
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

// Hops over distances that mean something: not from host to host and inside by turns.
bool one_rank_each_or_one_host(const HostLayout& layout) {
  return one_rank_each(layout) || layout.hosts.size() == 1;
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

constexpr Kinds kinds{CollectiveKind::reduce_scatter, CollectiveKind::all_gather};

}  // namespace

extern constinit const CollectiveAlgorithm pat_row{
    .algorithm = Algorithm::pat,
    .kinds = kinds,
    .hosts = one_rank_each_or_one_host,
    .crossing = CollectiveAlgorithm::Crossing::by_levels,
    .executed = kinds,
    .executed_on = one_rank_each_or_one_host,
    .schedule = scheduled,
    .traffic = pat_traffic,
    .nccl = &cost,
};

}  // namespace quintet
