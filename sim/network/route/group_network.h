// What network a group of ranks has between its hosts. Pure.
#pragma once

#include <optional>
#include <span>

#include "sim/base/units.h"
#include "sim/network/route/route.h"
#include "sim/topology/topology.h"

namespace quintet {

struct GroupNetwork {
  Bandwidth slowest;  // of the network links on the ways between neighbours, as built
  Seconds longest;    // of these ways
  bool operator==(const GroupNetwork&) const = default;
};

// Between members that follow each other, the last and the first too. Nothing where all are on one
// host.
std::optional<GroupNetwork> group_network(const Topology& topology, const Router& router,
                                          std::span<const DeviceId> slots);

}  // namespace quintet
