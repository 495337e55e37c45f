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

}  // namespace

Islands::Islands(const Topology& topology)
    : topology_(topology),
      members_(topology.devices.size(), Member{-1, 0}),
      incoming_(topology.devices.size(),
                [&](const auto& put) {
                  for (std::size_t link = 0; link < topology.links.size(); ++link)
                    if (topology.links[link].kind != LinkKind::network)
                      put(topology.links[link].to.index(), id_at<LinkId>(link));
                }),
      exits_(topology.devices.size()),
      entrances_(topology.devices.size()) {
  std::vector<char> enters(topology.devices.size(), 0), leaves(topology.devices.size(), 0);
  for (const Link& wire : topology.links)
    if (wire.kind == LinkKind::network) leaves[wire.from.index()] = enters[wire.to.index()] = 1;
  for (std::size_t device = 0; device < members_.size(); ++device)
    if (members_[device].island < 0) join(id_at<DeviceId>(device));
  for (Island& island : islands_) find_shape(island, leaves, enters);
}

void Islands::find_shape(Island& island, const std::vector<char>& leaves,
                         const std::vector<char>& enters) {
  const auto [known, fresh] =
      known_shapes_.emplace(description(island, leaves, enters), shapes_.size());
  island.shape = known->second;
  if (!fresh) return;
  Shape& shape = shapes_.emplace_back();
  shape.example = static_cast<std::size_t>(&island - islands_.data());
  shape.places.resize(island.devices.size());
  for (std::size_t place = 0; place < island.devices.size(); ++place) {
    const DeviceId device = island.devices[place];
    if (leaves[device.index()] != 0) shape.exits.push_back(static_cast<std::int32_t>(place));
    if (enters[device.index()] != 0) shape.entrances.push_back(static_cast<std::int32_t>(place));
  }
}

Islands::Description Islands::description(const Island& island, const std::vector<char>& leaves,
                                          const std::vector<char>& enters) const {
  constexpr std::int32_t network = -1, next_list = -2;
  Description all;
  for (const DeviceId device : island.devices) {
    all.push_back(static_cast<std::int32_t>(topology_.device(device).kind));
    all.push_back(2 * leaves[device.index()] + enters[device.index()]);
    for (const LinkId link : incoming_[device.index()]) {
      all.push_back(static_cast<std::int32_t>(place_of(topology_.link(link).from)));
      all.push_back(static_cast<std::int32_t>(topology_.link(link).kind));
    }
    all.push_back(next_list);
    for (const LinkId link : topology_.outgoing[device.index()]) {
      const Link& wire = topology_.link(link);
      const bool leaving = wire.kind == LinkKind::network;
      all.push_back(leaving ? network : static_cast<std::int32_t>(place_of(wire.to)));
      all.push_back(static_cast<std::int32_t>(wire.kind));
    }
    all.push_back(next_list);
  }
  return all;
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

// Dijkstra's algorithm against the direction of the links, in the island that is the example of its
// shape.
const std::vector<LocalCost>& Islands::costs_to(DeviceId device) {
  std::vector<LocalCost>& costs = towards(device).costs;
  if (!costs.empty()) return costs;
  const Island& island = islands_[shapes_[island_of(device).shape].example];
  const DeviceId to = island.devices[place_of(device)];
  costs.assign(island.devices.size(), unreachable);
  using Entry = std::pair<LocalCost, DeviceId>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  const auto reach = [&](DeviceId at, LocalCost cost) {
    LocalCost& known = costs[place_of(at)];
    if (cost >= known) return;
    known = cost;
    open.emplace(cost, at);
  };
  reach(to, 0);
  while (!open.empty()) {
    const auto [cost, at] = open.top();
    open.pop();
    if (cost > costs[place_of(at)]) continue;
    if (at != to && !forwards(at)) continue;
    for (const LinkId link : incoming_[at.index()])
      reach(topology_.link(link).from, cost + cost_of(topology_.link(link).kind));
  }
  return costs;
}

LocalCost Islands::cost(DeviceId from, DeviceId to) {
  if (members_[from.index()].island != members_[to.index()].island) return unreachable;
  return costs_to(to)[place_of(from)];
}

std::vector<std::int32_t> Islands::steps(DeviceId from, DeviceId to) {
  const LocalCost here = cost(from, to);
  const std::vector<LinkId>& links = topology_.outgoing[from.index()];
  std::vector<std::int32_t> found;
  for (std::size_t number = 0; number < links.size(); ++number) {
    const Link& wire = topology_.link(links[number]);
    if (wire.kind == LinkKind::network || (wire.to != to && !forwards(wire.to))) continue;
    const LocalCost there = cost(wire.to, to);
    if (there != unreachable && there + cost_of(wire.kind) == here)
      found.push_back(static_cast<std::int32_t>(number));
  }
  return found;
}

// Both on one island.
void Islands::next(DeviceId from, DeviceId to, std::vector<LinkId>& links) {
  links.clear();
  std::vector<std::vector<std::int32_t>>& known = towards(to).steps;
  if (known.empty()) known.resize(island_of(to).devices.size());
  std::vector<std::int32_t>& numbers = known[place_of(from)];
  if (numbers.empty()) numbers = steps(from, to);
  const std::vector<LinkId>& outgoing = topology_.outgoing[from.index()];
  for (const std::int32_t number : numbers)
    links.push_back(outgoing[static_cast<std::size_t>(number)]);
}

std::vector<Door> Islands::doors(const Island& island, const std::vector<NearPlace>& near) const {
  std::vector<Door> all;
  all.reserve(near.size());
  for (const NearPlace& each : near)
    all.push_back({island.devices[static_cast<std::size_t>(each.place)], each.cost});
  return all;
}

namespace {

template <class Near>
void sort_by_distance(std::vector<Near>& all) {
  std::stable_sort(all.begin(), all.end(),
                   [](const Near& left, const Near& right) { return left.cost < right.cost; });
}

}  // namespace

std::span<const Door> Islands::exits(DeviceId from) {
  std::vector<Door>& known = exits_[from.index()];
  if (!known.empty()) return known;
  const Island& island = island_of(from);
  std::vector<NearPlace>& near = towards(from).exits;
  if (near.empty()) {
    for (const std::int32_t exit : shapes_[island.shape].exits)
      if (const LocalCost far = cost(from, island.devices[static_cast<std::size_t>(exit)]);
          far != unreachable)
        near.push_back({exit, far});
    sort_by_distance(near);
  }
  known = doors(island, near);
  return known;
}

std::span<const Door> Islands::entrances(DeviceId to) {
  std::vector<Door>& known = entrances_[to.index()];
  if (!known.empty()) return known;
  const Island& island = island_of(to);
  std::vector<NearPlace>& near = towards(to).entrances;
  if (near.empty()) {
    for (const std::int32_t entrance : shapes_[island.shape].entrances)
      if (const LocalCost far = cost(island.devices[static_cast<std::size_t>(entrance)], to);
          far != unreachable)
        near.push_back({entrance, far});
    sort_by_distance(near);
  }
  known = doors(island, near);
  return known;
}

}  // namespace quintet
