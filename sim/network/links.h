// Links as whoever shares them sees them: numbers with a capacity, and what flows take of it.
#pragma once

#include <cmath>
#include <cstdint>

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

}  // namespace quintet
