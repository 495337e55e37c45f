#include <cassert>

#include "sim/ccl/schedule.h"

namespace quintet {

namespace {

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

}  // namespace

Schedule direct_schedule(CollectiveKind kind, int ranks) {
  assert(ranks >= 1);
  Schedule schedule{.kind = kind, .ranks = ranks, .chunks = ranks};
  if (kind != CollectiveKind::all_gather)
    exchange(schedule, Carries::chunk_of_receiver, Effect::reduce);
  if (kind != CollectiveKind::reduce_scatter)
    exchange(schedule, Carries::chunk_of_sender, Effect::copy);
  return schedule;
}

// Chunk r is rank r's share, so it moves with the rank; the pieces of a tree are nobody's.
Schedule with_ranks_in(Schedule schedule, const std::vector<int>& order) {
  assert(order.size() == static_cast<std::size_t>(schedule.ranks));
  const auto at = [&](int rank) { return order[static_cast<std::size_t>(rank)]; };
  for (Transfer& transfer : schedule.transfers) {
    transfer.from = at(transfer.from);
    transfer.to = at(transfer.to);
    if (schedule.chunks == schedule.ranks) transfer.chunk = at(transfer.chunk);
  }
  return schedule;
}

}  // namespace quintet
