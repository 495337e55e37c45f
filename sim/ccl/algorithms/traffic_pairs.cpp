// Collectives whose messages do not follow the hosts: every pair by its positions in the group.
#include <algorithm>
#include <bit>
#include <cassert>

#include "sim/ccl/algorithms/edge_sum.h"
#include "sim/ccl/traffic_by_algorithm.h"

namespace quintet {

namespace {

int log2_ceil(int value) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(value - 1)));
}

TrafficPhase everyone_to_everyone(CollectiveKind kind, int n, Effect effect) {
  EdgeSum sum;
  for (int from = 0; from < n; ++from)
    for (int to = 0; to < n; ++to) sum.add(from, to, 1.0 / n, effect);
  return sum.phase(kind, 1);
}

TrafficPhase root_to_everyone(CollectiveKind kind, int n) {
  EdgeSum sum;
  for (int rank = 1; rank < n; ++rank) {
    if (kind == CollectiveKind::broadcast) sum.add(0, rank, 1.0, Effect::copy);
    if (kind == CollectiveKind::reduce) sum.add(rank, 0, 1.0, Effect::reduce);
  }
  return sum.phase(kind, 1);
}

// As halving_doubling_schedule: ranks beyond the largest power of two fold onto the first ones.
struct Fold {
  int ranks = 1, core = 1;
  bool one_chunk_a_share = false;  // all-reduce; else a folded rank's chunk travels with the share

  // The part of the buffer in the `count` shares from `first`.
  double part(int first, int count) const {
    if (one_chunk_a_share) return static_cast<double>(count) / core;
    const int folded = std::clamp(ranks - core - first, 0, count);
    return static_cast<double>(count + folded) / ranks;
  }
};

void halve(EdgeSum& sum, const Fold& fold) {
  for (int distance = fold.core / 2; distance >= 1; distance /= 2)
    for (int rank = 0; rank < fold.core; ++rank) {
      const int partner = rank ^ distance;
      sum.add(rank, partner, fold.part(partner & ~(distance - 1), distance), Effect::reduce);
    }
}

void double_up(EdgeSum& sum, const Fold& fold) {
  for (int distance = 1; distance < fold.core; distance *= 2)
    for (int rank = 0; rank < fold.core; ++rank)
      sum.add(rank, rank ^ distance, fold.part(rank & ~(distance - 1), distance), Effect::copy);
}

void fold_and_unfold(EdgeSum& sum, CollectiveKind kind, const Fold& fold) {
  const double own = 1.0 / fold.ranks;
  const bool gathers = kind == CollectiveKind::all_gather;
  const bool scatters = kind == CollectiveKind::reduce_scatter;
  for (int i = 0; i < fold.ranks - fold.core; ++i) {
    sum.add(fold.core + i, i, gathers ? own : 1.0, gathers ? Effect::copy : Effect::reduce);
    sum.add(i, fold.core + i, scatters ? own : 1.0, Effect::copy);
  }
}

}  // namespace

TrafficPhase halving_doubling_traffic(CollectiveKind kind, const HostLayout& layout) {
  const int n = rank_count(layout);
  const int core = static_cast<int>(std::bit_floor(static_cast<unsigned>(n)));
  const bool all_reduce = kind == CollectiveKind::all_reduce;
  const Fold fold{n, core, all_reduce};
  EdgeSum sum;
  if (kind != CollectiveKind::all_gather) halve(sum, fold);
  if (kind != CollectiveKind::reduce_scatter) double_up(sum, fold);
  fold_and_unfold(sum, kind, fold);
  const int folding_steps = n == core ? 0 : 2;
  return sum.phase(kind, (all_reduce ? 2 : 1) * log2_ceil(core) + folding_steps);
}

// Far hops first: the block `offset` away comes from the rank that many below without its lowest
// bit, so distance d carries one block for every offset whose lowest bit is d.
TrafficPhase pat_traffic(CollectiveKind kind, const HostLayout& layout) {
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
  return sum.phase(kind, log2_ceil(n));
}

std::vector<TrafficPhase> direct_traffic(CollectiveKind kind, const HostLayout& layout) {
  const int n = rank_count(layout);
  switch (kind) {
    case CollectiveKind::all_reduce:
      return {everyone_to_everyone(CollectiveKind::reduce_scatter, n, Effect::reduce),
              everyone_to_everyone(CollectiveKind::all_gather, n, Effect::copy)};
    case CollectiveKind::reduce_scatter:
      return {everyone_to_everyone(kind, n, Effect::reduce)};
    case CollectiveKind::all_gather:
    case CollectiveKind::all_to_all:
      return {everyone_to_everyone(kind, n, Effect::copy)};
    case CollectiveKind::broadcast:
    case CollectiveKind::reduce:
      return {root_to_everyone(kind, n)};
  }
  assert(false);
  return {};
}

}  // namespace quintet
