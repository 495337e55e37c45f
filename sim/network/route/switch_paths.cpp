#include "sim/network/route/switch_paths.h"

#include <algorithm>
#include <map>

namespace quintet {
namespace {

constexpr std::int16_t far = -1;

}  // namespace

SwitchPaths::SwitchPaths(const Topology& topology) : places_(topology.devices.size()) {
  for (std::size_t device = 0; device < places_.size(); ++device)
    if (topology.devices[device].kind == DeviceKind::network_switch)
      places_[device].switch_number = static_cast<std::int32_t>(switches_++);
  std::vector<LinkId> wires;
  for (std::size_t number = 0; number < topology.links.size(); ++number)
    if (const Link& link = topology.links[number];
        link.kind == LinkKind::network && link.bandwidth > Bandwidth{})  // no circuit's way back
      wires.push_back(id_at<LinkId>(number));
  coming_ = Rows<Wire>(places_.size(), [&](const auto& put) {
    for (const LinkId id : wires) put(topology.link(id).to.index(), {id, topology.link(id).from});
  });
  up_ = Rows<Wire>(places_.size(), [&](const auto& put) {
    for (const LinkId id : wires)
      if (const Link& link = topology.link(id); places_[link.to.index()].switch_number >= 0)
        put(link.from.index(), {id, link.to});
  });
  make_groups();
  number_devices();
  list_switches_before();
}

// A switch is a group of its own: the set that is reached is the switch itself.
void SwitchPaths::make_groups() {
  std::map<std::vector<DeviceId>, std::int32_t> known;
  std::vector<DeviceId> switches;
  for (std::size_t device = 0; device < places_.size(); ++device) {
    switches.clear();
    const bool is_switch = places_[device].switch_number >= 0;
    if (is_switch) switches.push_back(id_at<DeviceId>(device));
    for (const Wire& wire : coming_[device])
      if (!is_switch && places_[wire.other.index()].switch_number >= 0)
        switches.push_back(wire.other);
    std::sort(switches.begin(), switches.end());
    switches.erase(std::unique(switches.begin(), switches.end()), switches.end());
    const auto [entry, fresh] = known.emplace(switches, static_cast<std::int32_t>(groups_.size()));
    if (fresh) groups_.push_back({switches, {}, -1});
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

// From which switches each can be reached over one wire.
void SwitchPaths::list_switches_before() {
  before_.resize(switches_);
  for (std::size_t device = 0; device < places_.size(); ++device) {
    const std::int32_t number = places_[device].switch_number;
    if (number < 0) continue;
    std::vector<std::int32_t>& before = before_[static_cast<std::size_t>(number)];
    for (const Wire& wire : coming_[device])
      if (const std::int32_t other = places_[wire.other.index()].switch_number; other >= 0)
        before.push_back(other);
    std::sort(before.begin(), before.end());
    before.erase(std::unique(before.begin(), before.end()), before.end());
  }
}

SwitchPaths::Ball SwitchPaths::ball_round(const std::vector<std::int32_t>& centre) const {
  Ball ball{std::vector<std::int16_t>(switches_, far)};
  const auto distance_of = [&](std::int32_t number) -> std::int16_t& {
    return ball.distances[static_cast<std::size_t>(number)];
  };
  std::vector<std::int32_t> reached = centre;
  for (const std::int32_t start : reached) distance_of(start) = 0;
  for (std::size_t next = 0; next < reached.size(); ++next)
    for (const std::int32_t other : before_[static_cast<std::size_t>(reached[next])]) {
      if (distance_of(other) != far) continue;
      distance_of(other) = static_cast<std::int16_t>(distance_of(reached[next]) + 1);
      reached.push_back(other);
    }
  return ball;
}

const SwitchPaths::Ball& SwitchPaths::ball_of(Group& group) {
  if (group.ball < 0) {
    std::vector<std::int32_t> centre;
    for (const DeviceId each : group.switches)
      for (const std::int32_t before :
           before_[static_cast<std::size_t>(places_[each.index()].switch_number)])
        centre.push_back(before);
    std::sort(centre.begin(), centre.end());
    centre.erase(std::unique(centre.begin(), centre.end()), centre.end());
    const auto [known, fresh] =
        known_balls_.emplace(centre, static_cast<std::int32_t>(balls_.size()));
    if (fresh) balls_.push_back(ball_round(centre));
    group.ball = known->second;
  }
  return balls_[static_cast<std::size_t>(group.ball)];
}

int SwitchPaths::from_switch(DeviceId from, DeviceId to) {
  const Place& end = places_[to.index()];
  Group& group = groups_[static_cast<std::size_t>(end.group)];
  const int last = end.switch_number >= 0 ? 0 : 1;
  if (is_in(from, group)) return last;
  const int to_ball =
      ball_of(group).distances[static_cast<std::size_t>(places_[from.index()].switch_number)];
  return to_ball == far ? no_way : to_ball + 1 + last;
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
  if (places_[from.index()].switch_number >= 0) {
    const std::vector<LinkId>& known = next_of_switch(from, to, here);
    links.assign(known.begin(), known.end());
    return;
  }
  for (const Wire& wire : up_[from.index()])
    if (from_switch(wire.other, to) == here - 1) links.push_back(wire.link);
}

bool SwitchPaths::is_in(DeviceId device, const Group& group) const {
  return std::binary_search(group.switches.begin(), group.switches.end(), device);
}

// Whoever is next to a group's switches goes to one of these; elsewhere all groups of a ball are
// equally far, and so is what comes next.
const std::vector<LinkId>& SwitchPaths::next_of_switch(DeviceId from, DeviceId to, int here) {
  const std::int32_t number = places_[to.index()].group;
  Group& group = groups_[static_cast<std::size_t>(number)];
  const Ball& ball = ball_of(group);
  if (ball.distances[static_cast<std::size_t>(places_[from.index()].switch_number)] == 0)
    return next_to_group(from, number);
  const auto key =
      static_cast<std::uint64_t>(from.index()) << 32 | static_cast<std::uint64_t>(group.ball);
  const auto [known, fresh] = known_far_.try_emplace(key);
  if (fresh)
    for (const Wire& wire : up_[from.index()])
      if (from_switch(wire.other, to) == here - 1) known->second.push_back(wire.link);
  return known->second;
}

const std::vector<LinkId>& SwitchPaths::next_to_group(DeviceId from, std::int32_t group) {
  const auto key =
      static_cast<std::uint64_t>(from.index()) << 32 | static_cast<std::uint64_t>(group);
  const auto [known, fresh] = known_near_.try_emplace(key);
  if (fresh)
    for (const Wire& wire : up_[from.index()])
      if (is_in(wire.other, groups_[static_cast<std::size_t>(group)]))
        known->second.push_back(wire.link);
  return known->second;
}

}  // namespace quintet
