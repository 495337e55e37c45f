// The ways inside hosts: devices joined by links other than network links form an island. Islands
// that are built alike, which a cluster's hosts are, have one shape; costs and next hops towards a
// place of a shape are found when first asked for. Inside the room only; one thread.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "sim/base/rows.h"
#include "sim/topology/topology.h"

namespace quintet {

// Links that are not NVLink in the upper half, links in the lower: compares in that order, adds up.
using LocalCost = std::uint64_t;
constexpr LocalCost unreachable = std::numeric_limits<LocalCost>::max();

// A device with network links, and how far it is inside the island.
struct Door {
  DeviceId device;
  LocalCost cost = 0;
};

class Islands {
 public:
  explicit Islands(const Topology& topology);

  LocalCost cost(DeviceId from, DeviceId to);
  // Links of `from` that begin a cheapest way to `to`.
  void next(DeviceId from, DeviceId to, std::vector<LinkId>& links);
  // Nearest first. A device with network links of its own is its own first door.
  std::span<const Door> exits(DeviceId from);
  std::span<const Door> entrances(DeviceId to);

 private:
  struct Member {
    std::int32_t island = 0;
    std::int32_t place = 0;  // in the island
  };
  struct Island {
    std::vector<DeviceId> devices;  // by place
    std::size_t shape = 0;
  };
  struct NearPlace {
    std::int32_t place = 0;
    LocalCost cost = 0;
  };
  // What is asked of a place, empty until it is. Steps: per place from which one goes, which of the
  // outgoing links begin a cheapest way here.
  struct Towards {
    std::vector<LocalCost> costs;
    std::vector<std::vector<std::int32_t>> steps;
    std::vector<NearPlace> exits, entrances;
  };
  struct Shape {
    std::size_t example = 0;  // an island of this shape
    std::vector<std::int32_t> exits, entrances;
    std::vector<Towards> places;
  };
  // All of an island but which devices and links it has.
  using Description = std::vector<std::int32_t>;

  bool forwards(DeviceId device) const;
  void join(DeviceId seed);
  void find_shape(Island& island, const std::vector<char>& leaves, const std::vector<char>& enters);
  Description description(const Island& island, const std::vector<char>& leaves,
                          const std::vector<char>& enters) const;
  const Island& island_of(DeviceId device) const {
    return islands_[static_cast<std::size_t>(members_[device.index()].island)];
  }
  std::size_t place_of(DeviceId device) const {
    return static_cast<std::size_t>(members_[device.index()].place);
  }
  Towards& towards(DeviceId device) {
    return shapes_[island_of(device).shape].places[place_of(device)];
  }
  const std::vector<LocalCost>& costs_to(DeviceId to);
  std::vector<std::int32_t> steps(DeviceId from, DeviceId to);
  std::vector<Door> doors(const Island& island, const std::vector<NearPlace>& near) const;

  const Topology& topology_;
  std::vector<Member> members_;  // by device
  std::vector<Island> islands_;
  std::vector<Shape> shapes_;
  std::map<Description, std::size_t> known_shapes_;
  Rows<LinkId> incoming_;                             // not network, by device
  std::vector<std::vector<Door>> exits_, entrances_;  // by device; empty: not asked for yet
};

}  // namespace quintet
