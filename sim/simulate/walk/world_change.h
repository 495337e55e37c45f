// What becomes otherwise of a machine while a step is walked.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/ids.h"
#include "sim/base/units.h"

namespace quintet {

struct WorldChange {
  Instant at;  // since the step began
  // What begins to move from then on is priced by this state (sim/simulate/run/priced_states.h):
  // patterns of communication stand once per state, one state behind the other.
  std::int32_t state = 0;
  std::vector<double> capacities;  // per link of Communications; for what is moving, too
  std::vector<double> speeds;  // per ComputeKind: the share of its speed in the first state; empty:
                               // all. Kernels that begin from then on.
};

// A task that began and could not end: everybody waits for what stands still.
struct StandingTask {
  Rank rank;      // the one shown of its class
  int ranks = 1;  // how many it stands for
  std::int32_t instruction = -1;
  std::int32_t micro_batch = -1;
  Instant since;
  bool moving = false;  // its bytes were on their way; otherwise it waits for another rank
  bool operator==(const StandingTask&) const = default;
};

}  // namespace quintet
