// What a step is limited by now: where its time goes, and which part of the machine each piece
// waits for. Pure.
#pragma once

#include <string>
#include <vector>

#include "sim/advice/machine_worth.h"

namespace quintet {

// A kind of time of the mean rank's step (sim/explain/breakdown.h). They sum to the step.
struct Limit {
  std::string name;  // "products and attention", "exposed tensor communication"
  Seconds time;
  // The part that, twice as good, takes most off this piece, and how much; empty: no part takes
  // off a hundredth of it.
  std::string eased_by;
  Seconds eased;
  bool operator==(const Limit&) const = default;
};

// Those that take time, the longest first.
std::vector<Limit> limits_of(const RankBreakdown& mean, const std::vector<MachineWorth>& parts);

}  // namespace quintet
