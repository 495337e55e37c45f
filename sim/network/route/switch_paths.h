// Shortest ways through network switches. Distances are kept per set of switches that destinations
// hang on, not per destination, and found when first asked for: a leaf's NICs share one table.
// Inside the room only; one thread.
#pragma once

#include <cstdint>
#include <vector>

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
    std::vector<std::int16_t> distances;  // from each switch to the set; empty: not asked for yet
  };

  void make_groups();
  void number_devices();
  const std::vector<std::int16_t>& distances(Group& group);
  int from_switch(DeviceId from, DeviceId to);

  std::vector<Place> places_;              // by device
  std::vector<std::vector<Wire>> up_;      // by device: wires to switches
  std::vector<std::vector<Wire>> coming_;  // by device: wires that end here
  std::vector<Group> groups_;
  std::size_t switches_ = 0;
};

}  // namespace quintet
