#include "sim/price/copy_prices.h"

#include <algorithm>

namespace quintet {

namespace {

bool has_copies(const Program& program) {
  return std::any_of(program.bodies.begin(), program.bodies.end(), [](const Body& body) {
    return std::any_of(
        body.instructions.begin(), body.instructions.end(),
        [](const Instruction& each) { return std::holds_alternative<Copy>(each.action); });
  });
}

// The links' own latency is part of what was measured as a copy's start.
CommunicationPrice price_of(const Footprint& load, Seconds start, Bandwidth rate) {
  CommunicationPrice price;
  price.latency = start;
  price.bound = rate;
  price.phases = load.phases;
  return price;
}

}  // namespace

CopyPrices copy_prices(const Program& program, const std::vector<DeviceId>& slots,
                       const Paths& paths, Footprints& footprints,
                       const std::vector<const CopyCosts*>& costs) {
  CopyPrices prices;
  if (!has_copies(program)) return prices;
  if (paths.topology().device(slots.front()).kind != DeviceKind::gpu) return prices;
  for (std::size_t rank = 0; rank < slots.size(); ++rank) {
    const CopyCosts& own = *costs[rank];
    prices.out.push_back(
        price_of(footprints.of_path(paths.to_host(slots[rank])), own.start, own.device_to_host));
    prices.in.push_back(
        price_of(footprints.of_path(paths.from_host(slots[rank])), own.start, own.host_to_device));
  }
  return prices;
}

}  // namespace quintet
