// What each link carried in a step.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/base/ids.h"
#include "sim/simulate/fold/world.h"

namespace quintet {

struct LinkLoad {
  LinkId shown;  // a link, or one of several that carried the same, maybe of other parts
  int links = 1;
  double bytes = 0;
};

// How many copies there were, by price and bytes of each: copies of a price have several sizes.
using CopyCounts = std::map<std::pair<std::int32_t, double>, std::int64_t>;

// One per link class. `moves`: per price, how often it moved. Counts and coefficients are summed as
// integers and multiplied by sizes in the order of the world's moves, then of copies' sizes, so a
// class of links carries what each member does to the last bit, however ranks are folded.
std::vector<LinkLoad> link_loads(const FoldedWorld& world, const std::vector<std::int64_t>& moves,
                                 const CopyCounts& copies);

}  // namespace quintet
