// The ways inside hosts: devices joined by links other than network links form an island. Costs and
// next hops towards a device are found when first asked for. Inside the room only; one thread.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

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
    std::vector<DeviceId> devices, exits, entrances;
  };

  bool forwards(DeviceId device) const;
  void join(DeviceId seed);
  const std::vector<LocalCost>& costs_to(DeviceId to);

  const Topology& topology_;
  std::vector<Member> members_;  // by device
  std::vector<Island> islands_;
  std::vector<std::vector<LinkId>> incoming_;  // not network, by device
  std::vector<std::vector<LocalCost>> costs_;  // by destination and place; empty: not asked for yet
  std::vector<std::vector<Door>> exits_, entrances_;  // by device; empty: not asked for yet
};

}  // namespace quintet
