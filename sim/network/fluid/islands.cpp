#include "sim/network/fluid/islands.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace quintet {
namespace {

LocalCost cost_of(LinkKind kind) {
  constexpr LocalCost link = 1;
  constexpr LocalCost not_nvlink = LocalCost{1} << 32;
  switch (kind) {
    case LinkKind::nvlink:
      return link;
    case LinkKind::pcie:
    case LinkKind::socket:
    case LinkKind::network:
      return not_nvlink + link;
  }
  return not_nvlink + link;
}

void sort_by_distance(std::vector<Door>& doors) {
  std::stable_sort(doors.begin(), doors.end(),
                   [](const Door& left, const Door& right) { return left.cost < right.cost; });
}

}  // namespace

Islands::Islands(const Topology& topology)
    : topology_(topology),
      members_(topology.devices.size(), Member{-1, 0}),
      incoming_(topology.devices.size()),
      costs_(topology.devices.size()),
      exits_(topology.devices.size()),
      entrances_(topology.devices.size()) {
  std::vector<char> enters(topology.devices.size(), 0), leaves(topology.devices.size(), 0);
  for (std::size_t link = 0; link < topology.links.size(); ++link) {
    const Link& wire = topology.links[link];
    if (wire.kind == LinkKind::network) {
      leaves[wire.from.index()] = enters[wire.to.index()] = 1;
    } else {
      incoming_[wire.to.index()].push_back(id_at<LinkId>(link));
    }
  }
  for (std::size_t device = 0; device < members_.size(); ++device)
    if (members_[device].island < 0) join(id_at<DeviceId>(device));
  for (Island& island : islands_)
    for (const DeviceId device : island.devices) {
      if (leaves[device.index()] != 0) island.exits.push_back(device);
      if (enters[device.index()] != 0) island.entrances.push_back(device);
    }
}

// Local links come in pairs of directions, so following incoming ones finds the whole island.
void Islands::join(DeviceId seed) {
  const auto number = static_cast<std::int32_t>(islands_.size());
  Island& island = islands_.emplace_back();
  island.devices.push_back(seed);
  members_[seed.index()] = {number, 0};
  for (std::size_t next = 0; next < island.devices.size(); ++next)
    for (const LinkId link : incoming_[island.devices[next].index()]) {
      const DeviceId from = topology_.link(link).from;
      if (members_[from.index()].island >= 0) continue;
      members_[from.index()] = {number, static_cast<std::int32_t>(island.devices.size())};
      island.devices.push_back(from);
    }
}

bool Islands::forwards(DeviceId device) const {
  switch (topology_.device(device).kind) {
    case DeviceKind::nvswitch:
    case DeviceKind::pcie_switch:
    case DeviceKind::cpu:
      return true;
    case DeviceKind::gpu:
    case DeviceKind::nic:
    case DeviceKind::network_switch:
      return false;
  }
  return false;
}

// Dijkstra's algorithm against the direction of the links.
const std::vector<LocalCost>& Islands::costs_to(DeviceId to) {
  std::vector<LocalCost>& costs = costs_[to.index()];
  if (!costs.empty()) return costs;
  const Island& island = islands_[static_cast<std::size_t>(members_[to.index()].island)];
  costs.assign(island.devices.size(), unreachable);
  using Entry = std::pair<LocalCost, DeviceId>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  const auto reach = [&](DeviceId device, LocalCost cost) {
    LocalCost& known = costs[static_cast<std::size_t>(members_[device.index()].place)];
    if (cost >= known) return;
    known = cost;
    open.emplace(cost, device);
  };
  reach(to, 0);
  while (!open.empty()) {
    const auto [cost, device] = open.top();
    open.pop();
    if (cost > costs[static_cast<std::size_t>(members_[device.index()].place)]) continue;
    if (device != to && !forwards(device)) continue;
    for (const LinkId link : incoming_[device.index()])
      reach(topology_.link(link).from, cost + cost_of(topology_.link(link).kind));
  }
  return costs;
}

LocalCost Islands::cost(DeviceId from, DeviceId to) {
  if (members_[from.index()].island != members_[to.index()].island) return unreachable;
  return costs_to(to)[static_cast<std::size_t>(members_[from.index()].place)];
}

void Islands::next(DeviceId from, DeviceId to, std::vector<LinkId>& links) {
  links.clear();
  const LocalCost here = cost(from, to);
  for (const LinkId link : topology_.outgoing[from.index()]) {
    const Link& wire = topology_.link(link);
    if (wire.kind == LinkKind::network || (wire.to != to && !forwards(wire.to))) continue;
    const LocalCost there = cost(wire.to, to);
    if (there != unreachable && there + cost_of(wire.kind) == here) links.push_back(link);
  }
}

std::span<const Door> Islands::exits(DeviceId from) {
  std::vector<Door>& doors = exits_[from.index()];
  if (!doors.empty()) return doors;
  const auto island = static_cast<std::size_t>(members_[from.index()].island);
  for (const DeviceId exit : islands_[island].exits)
    if (cost(from, exit) != unreachable) doors.push_back({exit, cost(from, exit)});
  sort_by_distance(doors);
  return doors;
}

std::span<const Door> Islands::entrances(DeviceId to) {
  std::vector<Door>& doors = entrances_[to.index()];
  if (!doors.empty()) return doors;
  const auto island = static_cast<std::size_t>(members_[to.index()].island);
  for (const DeviceId entrance : islands_[island].entrances)
    if (cost(entrance, to) != unreachable) doors.push_back({entrance, cost(entrance, to)});
  sort_by_distance(doors);
  return doors;
}

}  // namespace quintet
