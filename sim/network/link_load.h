// Links as whoever shares them sees them, numbers with a capacity, and what a communication puts on
// them: phases that follow one another, each a collective's part or one message.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/base/units.h"

namespace quintet {

enum class Sharing { shared, fat_pipe };

struct LinkShare {
  double capacity = 0.0;
  Sharing sharing = Sharing::shared;
  // A link that n flows share has capacity C(n) = capacity (1 - loss_per_flow (n - 1)), at least 0
  // (SimGrid's non-linear links; oracles A-11, B-7).
  double loss_per_flow = 0.0;
  bool operator==(const LinkShare&) const = default;
};

// What a flow takes of a link.
struct Usage {
  std::int32_t link = 0;
  double per_unit = 1.0;  // a_il > 0
  // How many equal flows of a folded class cross each such link. Equals per_unit * count where that
  // product lies on the grid below; right also for other products, fat pipes and C(n).
  std::int32_t count = 1;
  bool operator==(const Usage&) const = default;
};

// The nearest multiple of 2^-34: sums of such numbers are exact whatever their order, so what a
// class of links carries is what each of its members does, to the last bit.
inline double on_grid(double coefficient) {
  return std::round(coefficient * 0x1p34) / 0x1p34;
}

struct PhaseLoad {
  int steps = 1;            // messages that wait for one another along its longest chain
  std::vector<Usage> uses;  // bytes per byte of the communication's size, in order of link
  bool operator==(const PhaseLoad&) const = default;
};

// The steps of all phases together, at least one.
int steps_of(std::span<const PhaseLoad> phases);

// What all phases put on each link.
std::vector<Usage> whole_load(std::span<const PhaseLoad> phases);

// The rate at which a flow that has the link to itself fills it, to the bit as the solver of
// sim/network/fluid finds it: coefficients are multiples of the grid.
inline double rate_when_full(const LinkShare& link, double per_unit) {
  return link.capacity / per_unit;
}

// The rate, as size / time, where one phase passes after the other and links are all that limits
// them; infinite where they use none.
Bandwidth passing_rate(std::span<const PhaseLoad> phases, std::span<const LinkShare> links);

}  // namespace quintet
