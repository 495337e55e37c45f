#include "sim/simulate/walk/link_loads.h"

#include <cmath>
#include <map>

namespace quintet {

namespace {

__extension__ typedef __int128 Coefficients;  // multiples of 2^-34, times counts

Coefficients coefficients(double per_unit, std::int64_t count) {
  return static_cast<Coefficients>(std::llround(per_unit * 0x1p34)) * count;
}

}  // namespace

std::vector<LinkLoad> link_loads(const FoldedWorld& world, const std::vector<std::int64_t>& moves) {
  std::vector<std::map<std::int32_t, Coefficients>> sums(world.links.size());  // by move
  for (std::size_t index = 0; index < moves.size(); ++index) {
    const FoldedPrice& each = world.prices[index];
    const auto add = [&](std::int32_t link, double per_unit) {
      sums[static_cast<std::size_t>(link)][each.move] += coefficients(per_unit, moves[index]);
    };
    if (moves[index] == 0) continue;
    for (const PhaseLoad& phase : each.price.phases)
      for (const Usage& use : phase.uses) add(use.link, use.per_unit);
    for (const SlackUse& use : each.slack) add(use.link, use.per_unit);
  }
  std::vector<LinkLoad> loads;
  for (std::size_t link = 0; link < sums.size(); ++link) {
    loads.push_back({world.shown_links[link], world.link_counts[link], 0.0});
    for (const auto& [move, sum] : sums[link])
      loads.back().bytes += world.moves[static_cast<std::size_t>(move)].size.value *
                            (static_cast<double>(sum) / 0x1p34);
  }
  return loads;
}

}  // namespace quintet
