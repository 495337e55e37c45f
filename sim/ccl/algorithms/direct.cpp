// direct: everyone to everyone, a peer a step in NCCL's order (peer_deltas), each its share; an
// all-reduce then hands the sums back the same way. The links see all peers at once.
//
//      step 0: r -> r + 1    step 1: r -> r + 3    step 2: r -> r + 6 ...    any two senders
//                                                                           have two receivers
//
// Terms are added by rank, 0 + 1 + 2 + ..., whatever the element, the size or the segments: the
// bits of one rank that adds the terms one after another.
#include <bit>
#include <cassert>
#include <numeric>

#include "sim/ccl/algorithms/collective_algorithm.h"
#include "sim/ccl/algorithms/edge_sum.h"

namespace quintet {

namespace {

// 0, 1, 3, 6, 10, ... modulo a power of two visits everything once.
std::vector<int> triangular_order(int count) {
  const int modulus = static_cast<int>(std::bit_ceil(static_cast<unsigned>(count)));
  std::vector<int> order;
  int number = 0;
  for (int i = 0; i < modulus; ++i, number = (number + i) % modulus)
    if (number < count) order.push_back(number);
  return order;
}

int usable_group(int ranks, int group) {
  return ranks % group == 0 ? group : 1;
}

enum class Carries { chunk_of_receiver, chunk_of_sender };

void exchange(Schedule& schedule, Carries carries, Effect effect) {
  for (const int delta : peer_deltas(schedule.ranks, 1)) {
    if (delta == 0) continue;
    for (int from = 0; from < schedule.ranks; ++from) {
      const int to = (from + delta) % schedule.ranks;
      const int chunk = carries == Carries::chunk_of_receiver ? to : from;
      schedule.transfers.push_back({schedule.steps, from, to, chunk, effect});
    }
    ++schedule.steps;
  }
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

}  // namespace

std::vector<int> peer_deltas(int ranks, int group) {
  assert(ranks >= 1 && group >= 1);
  const int size = usable_group(ranks, group);
  std::vector<int> deltas;
  for (const int group_delta : triangular_order(ranks / size))
    for (int local_delta = 0; local_delta < size; ++local_delta)
      deltas.push_back(group_delta * size + local_delta);
  return deltas;
}

Schedule all_to_all_schedule(int ranks, int group) {
  const int size = usable_group(ranks, group);
  Schedule schedule{.kind = CollectiveKind::all_to_all, .ranks = ranks, .chunks = ranks * ranks};
  for (const int delta : peer_deltas(ranks, group)) {
    if (delta == 0) continue;
    for (int from = 0; from < ranks; ++from) {
      const int to_group = (from / size + delta / size) % (ranks / size);
      const int to = to_group * size + (from % size + delta % size) % size;
      schedule.transfers.push_back({schedule.steps, from, to, from * ranks + to, Effect::copy});
    }
    ++schedule.steps;
  }
  return schedule;
}

Schedule direct_schedule(CollectiveKind kind, int ranks) {
  assert(ranks >= 1);
  Schedule schedule{.kind = kind, .ranks = ranks, .chunks = ranks, .order = SumOrder::by_rank};
  if (kind != CollectiveKind::all_gather)
    exchange(schedule, Carries::chunk_of_receiver, Effect::reduce);
  if (kind != CollectiveKind::reduce_scatter)
    exchange(schedule, Carries::chunk_of_sender, Effect::copy);
  return schedule;
}

namespace {

// NCCL's groups of peers: a host's ranks; of several hosts no more than eight, that each is made of
// whole groups (NCCL 2.28 src/init.cc, NCCL_P2P_SCHEDULE_GROUP_SIZE).
int peer_group(const ScheduledGroup& group) {
  const int inside = group.levels.front();
  return inside == group.ranks() ? inside : std::gcd(8, inside);
}

}  // namespace

extern constinit const CollectiveAlgorithm direct_row{
    .algorithm = Algorithm::direct,
    .kinds = {CollectiveKind::all_reduce, CollectiveKind::reduce_scatter,
              CollectiveKind::all_gather, CollectiveKind::broadcast, CollectiveKind::reduce,
              CollectiveKind::all_to_all},
    .executed = {CollectiveKind::all_reduce, CollectiveKind::reduce_scatter,
                 CollectiveKind::all_gather, CollectiveKind::all_to_all},
    .schedule =
        [](const ScheduledGroup& group) {
          return group.kind == CollectiveKind::all_to_all
                     ? all_to_all_schedule(group.ranks(), peer_group(group))
                     : direct_schedule(group.kind, group.ranks());
        },
    .traffic = direct_traffic,
};

}  // namespace quintet
