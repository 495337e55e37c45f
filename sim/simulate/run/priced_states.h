// A program's communications on a machine that passes through several states while a step is
// walked: every pattern is priced in each, so that what begins after a change takes what it takes
// then. Of a hierarchical collective whose phases are slowed apart, a step in which something
// changes knows the slowest link of the whole alone: it may be told too short.
#pragma once

#include <span>
#include <vector>

#include "sim/price/communications.h"
#include "sim/simulate/walk/world_change.h"
#include "sim/topology/faults/machine_state.h"

namespace quintet {

struct PricedStates {
  // Patterns of the first state, then those of the next ... Links have the whole machine's numbers,
  // and what they carry in the first state.
  Communications all;
  int states = 1;
  std::vector<WorldChange> turns;  // one per state after the first; their times are the caller's
  bool may_stand = false;          // links are dead in one of them
};

// One state at least; the first is what the step begins in. `whole`: the machine that they are
// states of. The costs must outlive the answer.
PricedStates priced_states(const Program& program, const Plan& plan, const Topology& whole,
                           const CostTable& costs, std::span<const MachineState> states);

}  // namespace quintet
