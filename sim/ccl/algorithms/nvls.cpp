#include <cassert>

#include "sim/ccl/schedule.h"

namespace quintet {

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

}  // namespace quintet
