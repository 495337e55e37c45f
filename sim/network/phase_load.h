// What a communication puts on links: phases that follow one another, each a collective's part or
// one message.
#pragma once

#include <span>
#include <vector>

#include "sim/base/units.h"
#include "sim/network/links.h"

namespace quintet {

struct PhaseLoad {
  int steps = 1;            // messages that wait for one another along its longest chain
  std::vector<Usage> uses;  // bytes per byte of the communication's size, in order of link
  bool operator==(const PhaseLoad&) const = default;
};

// The steps of all phases together, at least one.
int steps_of(std::span<const PhaseLoad> phases);

// What all phases put on each link.
std::vector<Usage> whole_load(std::span<const PhaseLoad> phases);

// The rate, as size / time, where one phase passes after the other and links are all that limits
// them; infinite where they use none.
Bandwidth passing_rate(std::span<const PhaseLoad> phases, std::span<const LinkShare> links);

}  // namespace quintet
