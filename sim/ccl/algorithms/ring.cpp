#include <cassert>

#include "sim/ccl/schedule.h"

namespace quintet {

namespace {

int wrap(int value, int ranks) {
  return (value % ranks + ranks) % ranks;
}

// In step s rank r passes on the chunk it completed last: r - 1 - s, so that chunk r ends on rank
// r.
void scatter_around(Schedule& schedule) {
  const int n = schedule.ranks;
  for (int step = 0; step < n - 1; ++step, ++schedule.steps)
    for (int rank = 0; rank < n; ++rank)
      schedule.transfers.push_back(
          {schedule.steps, rank, wrap(rank + 1, n), wrap(rank - 1 - step, n), Effect::reduce});
}

void gather_around(Schedule& schedule) {
  const int n = schedule.ranks;
  for (int step = 0; step < n - 1; ++step, ++schedule.steps)
    for (int rank = 0; rank < n; ++rank)
      schedule.transfers.push_back(
          {schedule.steps, rank, wrap(rank + 1, n), wrap(rank - step, n), Effect::copy});
}

// The chain first -> first + 1 -> ... over n - 1 edges, chunk after chunk.
void pass_along(Schedule& schedule, int first, Effect effect) {
  const int n = schedule.ranks;
  const int edges = n - 1;
  schedule.steps = n > 1 ? edges - 1 + schedule.chunks : 0;
  for (int step = 0; step < schedule.steps; ++step) {
    for (int edge = 0; edge < edges; ++edge) {
      const int chunk = step - edge;
      if (chunk < 0 || chunk >= schedule.chunks) continue;
      schedule.transfers.push_back(
          {step, wrap(first + edge, n), wrap(first + edge + 1, n), chunk, effect});
    }
  }
}

}  // namespace

Schedule ring_schedule(CollectiveKind kind, int ranks) {
  assert(ranks >= 1 && kind != CollectiveKind::all_to_all);
  Schedule schedule{.kind = kind, .ranks = ranks, .chunks = ranks};
  switch (kind) {
    case CollectiveKind::all_reduce:
      scatter_around(schedule);
      gather_around(schedule);
      break;
    case CollectiveKind::reduce_scatter:
      scatter_around(schedule);
      break;
    case CollectiveKind::all_gather:
      gather_around(schedule);
      break;
    case CollectiveKind::broadcast:
      pass_along(schedule, 0, Effect::copy);
      break;
    case CollectiveKind::reduce:
      pass_along(schedule, 1, Effect::reduce);
      break;
    case CollectiveKind::all_to_all:
      break;
  }
  return schedule;
}

}  // namespace quintet
