#include "sim/network/link_load.h"

#include <algorithm>
#include <limits>
#include <map>

namespace quintet {

int steps_of(std::span<const PhaseLoad> phases) {
  int steps = 0;
  for (const PhaseLoad& phase : phases) steps += phase.steps;
  return std::max(1, steps);
}

std::vector<Usage> whole_load(std::span<const PhaseLoad> phases) {
  if (phases.size() == 1) return phases.front().uses;
  std::map<std::int32_t, Usage> sums;
  for (const PhaseLoad& phase : phases)
    for (const Usage& use : phase.uses)
      if (const auto [sum, fresh] = sums.emplace(use.link, use); !fresh)
        sum->second.per_unit += use.per_unit;
  std::vector<Usage> whole;
  for (const auto& [link, use] : sums) whole.push_back(use);
  return whole;
}

Bandwidth passing_rate(std::span<const PhaseLoad> phases, std::span<const LinkShare> links) {
  double seconds_per_byte = 0;
  for (const PhaseLoad& phase : phases) {
    double longest = 0;
    for (const Usage& use : phase.uses)
      longest =
          std::max(longest, use.per_unit / links[static_cast<std::size_t>(use.link)].capacity);
    seconds_per_byte += longest;
  }
  return {seconds_per_byte > 0 ? 1.0 / seconds_per_byte : std::numeric_limits<double>::infinity()};
}

}  // namespace quintet
