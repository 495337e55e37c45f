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

std::vector<LinkLoad> link_loads(const FoldedWorld& world, const std::vector<std::int64_t>& moves,
                                 const CopyCounts& copies) {
  std::vector<std::map<std::int32_t, Coefficients>> moved(world.links.size());  // by move
  std::vector<std::map<double, Coefficients>> copied(world.links.size());       // by size
  const auto each_use = [&](std::size_t price, const auto& add) {
    for (const PhaseLoad& phase : world.prices[price].price.phases)
      for (const Usage& use : phase.uses) add(static_cast<std::size_t>(use.link), use.per_unit);
    for (const SlackUse& use : world.prices[price].slack)
      add(static_cast<std::size_t>(use.link), use.per_unit);
  };
  for (std::size_t price = 0; price < moves.size(); ++price) {
    if (moves[price] == 0) continue;
    each_use(price, [&](std::size_t link, double per_unit) {
      moved[link][world.prices[price].move] += coefficients(per_unit, moves[price]);
    });
  }
  for (const auto& [which, count] : copies)
    each_use(static_cast<std::size_t>(which.first), [&](std::size_t link, double per_unit) {
      copied[link][which.second] += coefficients(per_unit, count);
    });
  std::vector<LinkLoad> loads;
  for (std::size_t link = 0; link < moved.size(); ++link) {
    loads.push_back({world.shown_links[link], world.link_counts[link], 0.0});
    for (const auto& [move, sum] : moved[link])
      loads.back().bytes += world.moves[static_cast<std::size_t>(move)].size.value *
                            (static_cast<double>(sum) / 0x1p34);
    for (const auto& [size, sum] : copied[link])
      loads.back().bytes += size * (static_cast<double>(sum) / 0x1p34);
  }
  return loads;
}

}  // namespace quintet
