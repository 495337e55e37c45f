// hierarchical: rings level by level, reduce-scatter from inside out, all-gather back (BlueConnect,
// MLSys 2019), over any number of levels.
//
//      host 0: 0 -> 1 -> 2 -> 3     inside: each ends with a quarter of its host's sum
//              |    |    |    |     across: a ring for each quarter, over its own rail
//      host 1: 4 -> 5 -> 6 -> 7     inside: gathered
//
// Terms are added rotated at every level. Scattering and gathering alone are priced, by GPUs'
// links, and not executed by ranks.
#include <cassert>
#include <cstddef>

#include "sim/ccl/algorithms/collective_algorithm.h"
#include "sim/ccl/algorithms/edge_sum.h"

namespace quintet {

namespace {

int wrap(int value, int size) {
  return (value % size + size) % size;
}

// One level's place in the mixed-radix number that a rank (and its chunk) is.
struct Digit {
  int stride = 1;  // product of the sizes inside
  int size = 1;
  int of(int number) const { return number / stride % size; }
  int replaced(int number, int digit) const { return number + (digit - of(number)) * stride; }
};

std::vector<Digit> digits_of(const GroupLevels& levels) {
  std::vector<Digit> digits;
  int stride = 1;
  for (const int size : levels.sizes) {
    assert(size >= 1);
    digits.push_back({stride, size});
    stride *= size;
  }
  return digits;
}

// Sends, from `rank` to its neighbour along `level`, all chunks that agree with the rank on the
// levels inside and have `digit` on this one.
void send_digit(Schedule& schedule, const Digit& level, int rank, int digit, Effect effect) {
  const int to = level.replaced(rank, wrap(level.of(rank) + 1, level.size));
  const int inside = rank % level.stride;
  const int outer = level.stride * level.size;
  for (int chunk = inside + digit * level.stride; chunk < schedule.chunks; chunk += outer)
    schedule.transfers.push_back({schedule.steps, rank, to, chunk, effect});
}

void scatter_along(Schedule& schedule, const Digit& level) {
  for (int step = 0; step < level.size - 1; ++step, ++schedule.steps)
    for (int rank = 0; rank < schedule.ranks; ++rank)
      send_digit(schedule, level, rank, wrap(level.of(rank) - 1 - step, level.size),
                 Effect::reduce);
}

void gather_along(Schedule& schedule, const Digit& level) {
  for (int step = 0; step < level.size - 1; ++step, ++schedule.steps)
    for (int rank = 0; rank < schedule.ranks; ++rank)
      send_digit(schedule, level, rank, wrap(level.of(rank) - step, level.size), Effect::copy);
}

struct Shares {
  double added = 0.0, kept = 0.0;
};

Shares shares_of(CollectiveKind kind, std::size_t size, double part) {
  const double others = part * static_cast<double>(size - 1) / static_cast<double>(size);
  const bool adds = kind != CollectiveKind::all_gather;
  const bool keeps = kind != CollectiveKind::reduce_scatter;
  return {adds ? others : 0.0, keeps ? others : 0.0};
}

void ring(EdgeSum& sum, CollectiveKind kind, const std::vector<int>& order, double part) {
  const Shares shares = shares_of(kind, order.size(), part);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const int from = order[i], to = order[(i + 1) % order.size()];
    sum.add(from, to, shares.added, Effect::reduce);
    sum.add(from, to, shares.kept, Effect::copy);
  }
}

TrafficPhase inside(CollectiveKind kind, const HostLayout& layout) {
  EdgeSum sum;
  for (const std::vector<int>& members : layout.hosts) ring(sum, kind, members, 1.0);
  return sum.phase(kind, ring_steps(kind, ranks_per_host(layout)));
}

// The l-th members of all hosts, each ring with its share: bytes keep to their rail.
TrafficPhase across(CollectiveKind kind, const HostLayout& layout) {
  const auto per_host = static_cast<std::size_t>(ranks_per_host(layout));
  EdgeSum sum;
  for (std::size_t local = 0; local < per_host; ++local) {
    std::vector<int> rail;
    for (const std::vector<int>& members : layout.hosts) rail.push_back(members[local]);
    ring(sum, kind, rail, 1.0 / static_cast<double>(per_host));
  }
  return sum.phase(kind, ring_steps(kind, static_cast<int>(layout.hosts.size())));
}

std::vector<TrafficPhase> hierarchical_traffic(CollectiveKind kind, const HostLayout& layout) {
  const bool alone = ranks_per_host(layout) == 1;
  const bool one_host = layout.hosts.size() == 1;
  if (one_host) return {inside(kind, layout)};
  if (alone) return {across(kind, layout)};
  std::vector<TrafficPhase> phases;
  if (kind != CollectiveKind::all_gather)
    phases.push_back(inside(CollectiveKind::reduce_scatter, layout));
  phases.push_back(across(kind, layout));
  if (kind != CollectiveKind::reduce_scatter)
    phases.push_back(inside(CollectiveKind::all_gather, layout));
  return phases;
}

}  // namespace

Schedule hierarchical_schedule(const GroupLevels& levels) {
  const std::vector<Digit> digits = digits_of(levels);
  const int ranks = digits.empty() ? 1 : digits.back().stride * digits.back().size;
  Schedule schedule{.kind = CollectiveKind::all_reduce, .ranks = ranks, .chunks = ranks};
  for (const Digit& level : digits) scatter_along(schedule, level);
  for (auto level = digits.rbegin(); level != digits.rend(); ++level)
    gather_along(schedule, *level);
  return schedule;
}

extern constinit const CollectiveAlgorithm hierarchical_row{
    .algorithm = Algorithm::hierarchical,
    .kinds = {CollectiveKind::all_reduce, CollectiveKind::reduce_scatter,
              CollectiveKind::all_gather},
    .hosts = uniform,
    .executed = {CollectiveKind::all_reduce},
    .executed_on = uniform,
    .schedule =
        [](const ScheduledGroup& group) {
          return in_order(hierarchical_schedule({group.levels}), group);
        },
    .traffic = hierarchical_traffic,
};

}  // namespace quintet
