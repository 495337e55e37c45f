#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

#include "sim/ccl/schedule.h"

namespace quintet {

namespace {

// Reduce-scatter by halving over n ranks, the part between folding in and out: the busiest rank of
// each step sends the first block, whose shares stand for folded ranks too.
Seconds halving_time(int ranks, int core, Bytes size, Seconds latency, Bandwidth rate) {
  Seconds time;
  for (int block = core / 2; block >= 1; block /= 2) {
    const int chunks = block + std::min(ranks - core, block);
    time += latency + size * chunks / ranks / rate;
  }
  return time;
}

}  // namespace

int ring_steps(CollectiveKind kind, int ranks) {
  switch (kind) {
    case CollectiveKind::all_reduce:
    // n - 1 edges and n chunks one behind the other: n - 2 + n.
    case CollectiveKind::broadcast:
    case CollectiveKind::reduce:
      return 2 * (ranks - 1);
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_gather:
      return ranks - 1;
    case CollectiveKind::all_to_all:
      break;
  }
  assert(false);
  return 0;
}

Seconds ring_time(CollectiveKind kind, int ranks, Bytes size, Seconds latency, Bandwidth rate) {
  return ring_steps(kind, ranks) * (latency + size / ranks / rate);
}

Seconds halving_doubling_time(CollectiveKind kind, int ranks, Bytes size, Seconds latency,
                              Bandwidth rate) {
  const int core = static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)));
  const bool folds = core != ranks;
  const Seconds whole = folds ? latency + size / rate : Seconds{};
  const Seconds share = folds ? latency + size / ranks / rate : Seconds{};
  switch (kind) {
    case CollectiveKind::all_reduce:
      return 2.0 * (whole + halving_time(core, core, size, latency, rate));
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_gather:
      return whole + halving_time(ranks, core, size, latency, rate) + share;
    case CollectiveKind::broadcast:
    case CollectiveKind::reduce:
    case CollectiveKind::all_to_all:
      break;
  }
  assert(false);
  return {};
}

Seconds hierarchical_time(const std::vector<Level>& levels_inside_out, Bytes size) {
  Seconds time;
  for (const Level& level : levels_inside_out) {
    time += ring_time(CollectiveKind::all_reduce, level.size, size, level.latency, level.rate);
    size = size / level.size;
  }
  return time;
}

Seconds in_network_time(Bytes size, Bandwidth rate) {
  return size / rate;
}

Seconds direct_all_to_all_time(int ranks, Bytes size, Seconds latency, Bandwidth rate) {
  return (ranks - 1) * (latency + size / ranks / rate);
}

// Distances to the others sum to n^2/4 (even n) or (n^2 - 1)/4 (odd), over two links a rank.
Seconds all_to_all_on_ring_time(int ranks, Bytes pair, Bandwidth rate) {
  const double distances = std::floor(static_cast<double>(ranks) * ranks / 4.0);
  return distances / 2.0 * pair / rate;
}

// Along each dimension a rank sends, or passes on, what differs there: n/k rings' worth.
Seconds all_to_all_on_torus_time(int ring, int dimensions, Bytes pair, Bandwidth rate) {
  assert(ring % 2 == 0 && dimensions >= 1);
  return all_to_all_on_ring_time(ring, pair * std::pow(ring, dimensions - 1), rate);
}

double bus_factor(CollectiveKind kind, int ranks) {
  const double others = static_cast<double>(ranks - 1) / ranks;
  switch (kind) {
    case CollectiveKind::all_reduce:
      return 2.0 * others;
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_gather:
    case CollectiveKind::all_to_all:
      return others;
    case CollectiveKind::broadcast:
    case CollectiveKind::reduce:
      return 1.0;
  }
  assert(false);
  return 1.0;
}

}  // namespace quintet
