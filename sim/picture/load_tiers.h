// Links by their load, tier by tier: of each tier a row of links, the busiest first.
#pragma once

#include <string>
#include <vector>

#include "sim/picture/canvas.h"
#include "sim/picture/picture.h"

namespace quintet {

struct LoadTier {
  std::string name, kind;     // "leaf to spine", "1,024 links of 50 GB/s"
  std::vector<double> loads;  // of each link, as a share of what it could carry
  ShownNumber busiest, mean;  // of them
};

struct LoadTiers {
  std::string name, title;
  std::vector<LoadTier> tiers;  // from the top of the machine down
};

inline constexpr std::size_t most_load_bars = 60;

// Heights are shares of the busiest link of all; of more than sixty links of a tier as many evenly
// spaced ones are drawn, the busiest among them, and the notes say so.
Picture draw(const LoadTiers& tiers);

}  // namespace quintet
