#include "sim/simulate/fold/undisturbed.h"

#include <algorithm>
#include <optional>

namespace quintet {

namespace {

// Per communicator: all its collectives are on one lane, so each begins after the one before.
std::vector<bool> on_one_lane(const Program& program) {
  std::vector<std::optional<LaneId>> lanes(program.communicators.size());
  std::vector<bool> one(program.communicators.size(), true);
  for (const Body& body : program.bodies)
    for (const Instruction& instruction : body.instructions)
      if (const auto* collective = std::get_if<Collective>(&instruction.action)) {
        std::optional<LaneId>& lane = lanes[collective->communicator.index()];
        if (!lane) lane = instruction.lane;
        if (*lane != instruction.lane) one[collective->communicator.index()] = false;
      }
  return one;
}

constexpr std::int32_t nobodys = -1, of_several = -2;

// Per link class: the group class that alone loads it, or one of these.
std::vector<std::int32_t> owners_of_links(const FoldedWorld& world) {
  std::vector<std::int32_t> of_price(world.prices.size(), of_several);
  for (std::size_t group = 0; group < world.group_prices.size(); ++group)
    for (const std::int32_t price : world.group_prices[group])
      of_price[static_cast<std::size_t>(price)] = static_cast<std::int32_t>(group);
  std::vector<std::int32_t> owners(world.links.size(), nobodys);
  for (std::size_t price = 0; price < world.prices.size(); ++price)
    for (const Usage& use : world.prices[price].whole) {
      std::int32_t& owner = owners[static_cast<std::size_t>(use.link)];
      owner = owner == nobodys || owner == of_price[price] ? of_price[price] : of_several;
    }
  return owners;
}

}  // namespace

void find_undisturbed(const Program& program, FoldedWorld& world) {
  const std::vector<bool> serial = on_one_lane(program);
  const std::vector<std::int32_t> owners = owners_of_links(world);
  for (std::size_t group = 0; group < world.groups.size(); ++group) {
    if (!serial[world.groups[group].communicator.index()]) continue;
    for (const std::int32_t number : world.group_prices[group]) {
      FoldedPrice& price = world.prices[static_cast<std::size_t>(number)];
      price.undisturbed =
          price.slack.empty() &&
          std::all_of(price.whole.begin(), price.whole.end(), [&](const Usage& use) {
            return owners[static_cast<std::size_t>(use.link)] == static_cast<std::int32_t>(group);
          });
    }
  }
}

}  // namespace quintet
