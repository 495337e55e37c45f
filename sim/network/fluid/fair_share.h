// Weighted max-min sharing with bounds, by progressive filling (after SimGrid's solver, LMM:
// src/kernel/lmm/maxmin.cpp):
//   flow i has weight w_i = 1 / penalty_i, optional bound b_i, and uses a_il of link l per unit of
//   its rate r_i; sum_i a_il r_i <= C_l on a shared link, max_i a_il r_i <= C_l on a fat pipe; a
//   common level L rises, r_i = L w_i, until a link is full or a bound is met; those flows freeze;
//   repeat.
//
// For example link A of 10 and link B of 4; flow 1 over A, flow 2 over A and B, flow 3 over B with
// bound 1, all of weight 1. At level 1 flow 3 meets its bound; at 3 link B is full (3 + 1), which
// freezes flow 2; at 7 link A is (7 + 3): rates 7, 3 and 1.
//
// A fat pipe that is full freezes all its flows, as SimGrid's does (oracle A-5).
//
// Priorities are strict: the filling above is done for the flows of the highest alone, then, on
// what capacity is left, for those of the next. A link of which less than 2^-30 is left has none.
// C(n) counts flows of all priorities; a fat pipe bounds each flow and has nothing to take away.
//
// Exactness: coefficients a w are rounded to multiples of 2^-34 (at least one of them), so their
// sums are exact whatever the order; used capacity is subtracted per level in level order. Hence
// equal problems give equal bits however flows are numbered, split or grouped: a folded problem
// (one flow standing for many) equals the unfolded one. Choose units so that a w is near 1: below
// 1e-4 the rounding shows in the sixth digit, and the sum on one link must stay below 2^28.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "sim/network/link_load.h"

namespace quintet {

struct FlowDemand {
  std::vector<Usage> uses;  // each link once
  double weight = 1.0;      // > 0
  double bound = std::numeric_limits<double>::infinity();
  int priority = 0;  // flows of the highest fill first, those of the next what they have left
  bool operator==(const FlowDemand&) const = default;
};

// Rates, one per flow. A flow that uses no link runs at its bound.
std::vector<double> fair_share(std::span<const LinkShare> links, std::span<const FlowDemand> flows);

}  // namespace quintet
