#include <bit>
#include <cassert>

#include "sim/ccl/schedule.h"

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

}  // namespace quintet
