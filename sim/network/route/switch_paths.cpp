#include "sim/network/route/switch_paths.h"

#include <algorithm>
#include <map>

namespace quintet {
namespace {

constexpr std::int16_t far = -1;

}  // namespace

SwitchPaths::SwitchPaths(const Topology& topology)
    : places_(topology.devices.size()),
      up_(topology.devices.size()),
      coming_(topology.devices.size()) {
  for (std::size_t device = 0; device < places_.size(); ++device)
    if (topology.devices[device].kind == DeviceKind::network_switch)
      places_[device].switch_number = static_cast<std::int32_t>(switches_++);
  for (std::size_t number = 0; number < topology.links.size(); ++number) {
    const Link& link = topology.links[number];
    const bool dark = link.bandwidth <= Bandwidth{};  // the way back of a circuit
    if (link.kind != LinkKind::network || dark) continue;
    const auto id = id_at<LinkId>(number);
    coming_[link.to.index()].push_back({id, link.from});
    if (places_[link.to.index()].switch_number >= 0)
      up_[link.from.index()].push_back({id, link.to});
  }
  make_groups();
  number_devices();
}

// A switch is a group of its own: the set that is reached is the switch itself.
void SwitchPaths::make_groups() {
  std::map<std::vector<DeviceId>, std::int32_t> known;
  for (std::size_t device = 0; device < places_.size(); ++device) {
    std::vector<DeviceId> switches;
    const bool is_switch = places_[device].switch_number >= 0;
    if (is_switch) switches.push_back(id_at<DeviceId>(device));
    for (const Wire& wire : coming_[device])
      if (!is_switch && places_[wire.other.index()].switch_number >= 0)
        switches.push_back(wire.other);
    std::sort(switches.begin(), switches.end());
    switches.erase(std::unique(switches.begin(), switches.end()), switches.end());
    const auto [entry, fresh] = known.emplace(switches, static_cast<std::int32_t>(groups_.size()));
    if (fresh) groups_.push_back({switches, {}, {}});
    places_[device].group = entry->second;
    if (!is_switch && !coming_[device].empty())
      groups_[static_cast<std::size_t>(entry->second)].devices.push_back(id_at<DeviceId>(device));
  }
}

// Groups with members come in the order of their first device.
void SwitchPaths::number_devices() {
  std::vector<const Group*> order;
  for (const Group& group : groups_)
    if (!group.devices.empty()) order.push_back(&group);
  std::sort(order.begin(), order.end(), [](const Group* left, const Group* right) {
    return left->devices.front() < right->devices.front();
  });
  std::uint64_t number = 0;
  for (const Group* group : order)
    for (const DeviceId device : group->devices) places_[device.index()].number = number++;
}

const std::vector<std::int16_t>& SwitchPaths::distances(Group& group) {
  if (!group.distances.empty()) return group.distances;
  group.distances.assign(switches_, far);
  const auto distance_of = [&](DeviceId device) -> std::int16_t& {
    return group.distances[static_cast<std::size_t>(places_[device.index()].switch_number)];
  };
  std::vector<DeviceId> reached = group.switches;
  for (const DeviceId start : reached) distance_of(start) = 0;
  for (std::size_t next = 0; next < reached.size(); ++next)
    for (const Wire& wire : coming_[reached[next].index()]) {
      if (places_[wire.other.index()].switch_number < 0 || distance_of(wire.other) != far) continue;
      distance_of(wire.other) = static_cast<std::int16_t>(distance_of(reached[next]) + 1);
      reached.push_back(wire.other);
    }
  return group.distances;
}

int SwitchPaths::from_switch(DeviceId from, DeviceId to) {
  const Place& end = places_[to.index()];
  const std::vector<std::int16_t>& to_group =
      distances(groups_[static_cast<std::size_t>(end.group)]);
  const int to_set = to_group[static_cast<std::size_t>(places_[from.index()].switch_number)];
  if (to_set == far) return no_way;
  return end.switch_number >= 0 ? to_set : to_set + 1;
}

int SwitchPaths::distance(DeviceId from, DeviceId to) {
  if (from == to) return 0;
  if (places_[from.index()].switch_number >= 0) return from_switch(from, to);
  for (const Wire& wire : coming_[to.index()])
    if (wire.other == from) return 1;
  int least = no_way;
  for (const Wire& wire : up_[from.index()]) {
    const int rest = from_switch(wire.other, to);
    if (rest != no_way && (least == no_way || rest + 1 < least)) least = rest + 1;
  }
  return least;
}

void SwitchPaths::next(DeviceId from, DeviceId to, std::vector<LinkId>& links) {
  links.clear();
  const int here = distance(from, to);
  if (here == 1) {
    for (const Wire& wire : coming_[to.index()])
      if (wire.other == from) links.push_back(wire.link);
    return;
  }
  for (const Wire& wire : up_[from.index()])
    if (from_switch(wire.other, to) == here - 1) links.push_back(wire.link);
}

}  // namespace quintet
