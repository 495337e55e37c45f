// Plans one or two decisions away from a plan, for the same batch on as many ranks: which of them
// more memory would make possible, and which is faster already.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/advice/machine_worth.h"

namespace quintet {

struct Neighbour {
  std::string how;  // "recompute none, micro_batch 2"
  int decisions = 1;
  Plan plan;
};

// Recomputation and sharding each otherwise; micro-batch, tensor and pipeline degree twice and half
// of what they are; each alone and each two together. Only those that a plan's file could hold.
std::vector<Neighbour> neighbours(const Plan& plan);

// The fastest of them that fit into a tenth more, and twice as much memory of each GPU, and not
// into what it has; the plan itself where none is faster.
MachineWorth memory_worth(const Plan& plan, const Machine& machine, const Evaluator& evaluator,
                          const Effort& effort);

struct FasterNeighbour {
  std::string how;
  Seconds step;
  bool operator==(const FasterNeighbour&) const = default;
};
// The fastest of those one decision away that fit as it is, if it is faster than `step`.
std::optional<FasterNeighbour> faster_neighbour(const Plan& plan, Seconds step,
                                                const Machine& machine, const Evaluator& evaluator,
                                                const Effort& effort);

}  // namespace quintet
