// Weighted max-min sharing with bounds, by progressive filling (models.md 2.1, after SimGrid's
// LMM):
//   flow i has weight w_i = 1 / penalty_i, optional bound b_i, and uses a_il of link l per unit of
//   its rate r_i; sum_i a_il r_i <= C_l on a shared link, max_i a_il r_i <= C_l on a fat pipe; a
//   common level L rises, r_i = L w_i, until a link is full or a bound is met; those flows freeze;
//   repeat.
//
// Exactness: coefficients a w are rounded to multiples of 2^-34, so their sums are exact in doubles
// whatever the order; used capacity is subtracted per level in level order. Hence equal problems
// give equal bits however flows are numbered, split or grouped: a folded problem (one flow standing
// for many) equals the unfolded one.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace quintet {

enum class Sharing { shared, fat_pipe };

struct LinkShare {
  double capacity = 0.0;
  Sharing sharing = Sharing::shared;
};

struct Usage {
  std::int32_t link = 0;
  double per_unit = 1.0;  // a_il > 0
  bool operator==(const Usage&) const = default;
};

struct FlowDemand {
  std::vector<Usage> uses;  // each link once
  double weight = 1.0;      // > 0
  double bound = std::numeric_limits<double>::infinity();
};

// Rates, one per flow. A flow that uses no link runs at its bound.
std::vector<double> fair_share(std::span<const LinkShare> links, std::span<const FlowDemand> flows);

}  // namespace quintet
