// What may go wrong with a machine, or with what is believed of it, in a few cases: of parts that
// the plan uses alike one stands for all. Pure.
#pragma once

#include <string>
#include <vector>

#include "sim/advice/evaluation.h"
#include "sim/topology/faults/faults.h"

namespace quintet {

// One part that is slow or dead.
struct FaultCase {
  std::string part;  // "host0/nic3"
  int alike = 1;     // so many parts carry as much as this one, or compute the same
  Faults faults;
};

// One thing that may go wrong, with the different parts that it may befall; the plan's worst
// counts.
struct Scenario {
  std::string name;              // "a NIC at half its rate"
  std::vector<FaultCase> cases;  // those that carry most first; empty: of costs
  int left_out = 0;              // kinds of parts beyond those
  std::vector<CostTable> costs;  // one, where it is believed costs that are wrong
};

inline constexpr std::size_t most_cases = 4;  // of a scenario

// A NIC, and a cable between switches, at half the rate; a GPU at 80 % of its speed; a NIC that has
// failed, where hosts have several; the cost table's products, attention, memory-bound kernels and
// collectives a tenth slower, launches twice as long (sim/answer/assumptions.h). Links that carry
// nothing by `detail` are not among them.
std::vector<Scenario> scenarios(const Plan& plan, const Machine& machine, const StepDetail& detail);

}  // namespace quintet
