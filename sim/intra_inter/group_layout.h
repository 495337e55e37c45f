// Where the members of a group sit: hosts x ranks per host.
#pragma once

#include <vector>

#include "sim/topology/topology.h"

namespace quintet {

// A member's place: its host and its number among the host's rank slots.
struct Seat {
  int host = 0;
  int local = 0;
  bool operator==(const Seat&) const = default;
};

struct GroupLayout {
  // Per host that has members, in the order in which the group names them: positions in the group,
  // ascending by local number.
  std::vector<std::vector<int>> hosts;
  bool uniform = true;  // as many members on every host
  bool aligned = true;  // and at the same local numbers, so that l-th members share a rail
  bool operator==(const GroupLayout&) const = default;
};

GroupLayout group_layout(const std::vector<Seat>& seats_by_position);

// The seat of a rank slot (GPU, or CPU rank slot).
Seat seat_of(const Topology& topology, DeviceId slot);

// The slot of every rank: `placement` is the plan's, empty: rank i in slot i.
std::vector<DeviceId> slots_of_ranks(const Topology& topology, const std::vector<int>& placement,
                                     int ranks);

// The sizes of the levels of a uniform group, inside out: {ranks per host, hosts}.
std::vector<int> level_sizes(const GroupLayout& layout);

}  // namespace quintet
