// Shortest ways through network switches. Distances are kept per set of switches next to which
// destinations hang, not per destination, and found when first asked for: a leaf's NICs share one
// table, and so do all leaves that hang on the same spines (whoever comes to one of these leaves
// from elsewhere comes over one of these spines). Inside the room only; one thread.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "sim/base/rows.h"
#include "sim/topology/topology.h"

namespace quintet {

class SwitchPaths {
 public:
  explicit SwitchPaths(const Topology& topology);

  static constexpr int no_way = -1;

  // Fewest network links with only network switches between, or no_way.
  int distance(DeviceId from, DeviceId to);
  // Links of `from` that begin a shortest way to `to`, in link order.
  void next(DeviceId from, DeviceId to, std::vector<LinkId>& links);
  // Counts the devices on the network leaf by leaf, as D-mod-K numbers its destinations.
  std::uint64_t number(DeviceId device) const { return places_[device.index()].number; }

 private:
  struct Wire {
    LinkId link;
    DeviceId other;  // the far end
  };
  struct Place {
    std::int32_t switch_number = -1;  // of a network switch
    std::int32_t group = -1;          // devices that hang on the same switches
    std::uint64_t number = 0;
  };
  struct Group {
    std::vector<DeviceId> switches;
    std::vector<DeviceId> devices;
    std::int32_t ball = -1;  // round the switches that lead to these; -1: not asked for yet
  };
  // The switches next to a set, and how far each switch is from the nearest of them.
  struct Ball {
    std::vector<std::int16_t> distances;
  };

  void make_groups();
  void number_devices();
  void list_switches_before();
  const Ball& ball_of(Group& group);
  Ball ball_round(const std::vector<std::int32_t>& centre) const;
  int from_switch(DeviceId from, DeviceId to);
  const std::vector<LinkId>& next_of_switch(DeviceId from, DeviceId to, int here);
  const std::vector<LinkId>& next_to_group(DeviceId from, std::int32_t group);
  bool is_in(DeviceId device, const Group& group) const;

  std::vector<Place> places_;  // by device
  Rows<Wire> up_;              // by device: wires to switches
  Rows<Wire> coming_;          // by device: wires that end here
  std::vector<Group> groups_;
  std::size_t switches_ = 0;
  std::vector<std::vector<std::int32_t>> before_;  // by switch number: whence wires come, each once
  std::map<std::vector<std::int32_t>, std::int32_t> known_balls_;  // by their centres
  std::vector<Ball> balls_;
  // Of switches more than one link away: by switch and group where they are next to the group's
  // switches, by switch and ball elsewhere, where the next is the same for all groups of a ball.
  std::unordered_map<std::uint64_t, std::vector<LinkId>> known_near_, known_far_;
};

}  // namespace quintet
