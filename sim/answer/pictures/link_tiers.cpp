#include "sim/answer/pictures/link_tiers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "sim/answer/numbers_text.h"
#include "sim/topology/describe/readable.h"

namespace quintet {

namespace {

// Where a device stands, from the ground up; also which tier's switch it is.
int height_of(const Device& device) {
  switch (device.kind) {
    case DeviceKind::gpu:
      return 0;
    case DeviceKind::nvswitch:
      return 1;
    case DeviceKind::cpu:
      return 2;
    case DeviceKind::pcie_switch:
      return 3;
    case DeviceKind::nic:
      return 4;
    case DeviceKind::network_switch:
      return 4 + std::max(1, device.tier);
  }
  return 0;
}

std::string name_at(const Device& device) {
  if (device.kind != DeviceKind::network_switch) return std::string(name_of(device.kind));
  return device.tier <= 1 ? "leaf" : device.tier == 2 ? "spine" : "core";
}

struct Tier {
  std::string lower, upper;
  Bandwidth rate;
  std::vector<double> loads;
};

// By height: those of the network first.
using Tiers = std::map<std::pair<int, int>, Tier, std::greater<>>;

Tiers tiers_of(const Topology& topology, std::span<const Bytes> carried, Seconds step) {
  Tiers tiers;
  for (std::size_t i = 0; i < topology.links.size(); ++i) {
    const Link& link = topology.links[i];
    const Device *low = &topology.device(link.from), *high = &topology.device(link.to);
    if (height_of(*low) > height_of(*high)) std::swap(low, high);
    Tier& tier = tiers[{height_of(*high), height_of(*low)}];
    tier.lower = name_at(*low);
    tier.upper = name_at(*high);
    tier.rate = std::max(tier.rate, link.bandwidth);
    const Bytes possible = link.bandwidth * step;
    tier.loads.push_back(possible > Bytes{} ? carried[i] / possible : 0.0);
  }
  return tiers;
}

ShownNumber share(double load) {
  return {load, fmt::format("{:.1f} %", 100 * load), fmt::format("{}", load)};
}

}  // namespace

LoadTiers link_tiers(const Topology& topology, std::span<const Bytes> carried, Seconds step) {
  LoadTiers all{"links", "Links by load", {}};
  for (auto& [heights, tier] : tiers_of(topology, carried, step)) {
    double most = 0, sum = 0;
    for (const double load : tier.loads) {
      most = std::max(most, load);
      sum += load;
    }
    if (most <= 0) continue;
    const auto count = static_cast<double>(tier.loads.size());
    all.tiers.push_back(
        {tier.lower + " to " + tier.upper,
         grouped(count) + " links of " + readable(tier.rate) + ", one direction each",
         std::move(tier.loads), share(most), share(sum / count)});
  }
  return all;
}

}  // namespace quintet
