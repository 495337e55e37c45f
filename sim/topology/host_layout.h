// Where the members of a group sit: which of them share a host, and in what order. What a
// collective's schedule, its traffic, NCCL's tuner and measured curves all start from.
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

// hosts[h][l] is the position in the group of host h's l-th member: hosts in the order in which the
// group names them, members ascending by local number. Positions are 0 .. n-1, each once; no host
// is empty.
struct HostLayout {
  std::vector<std::vector<int>> hosts;
  int nics_per_host = 1;        // that this group's members may use, on the host with the fewest
  std::vector<DeviceId> slots;  // by position; empty where no machine was given
  // By host, where any has lost NICs: the local indices of members that have a NIC beside them, one
  // for each NIC. Empty: NICs are dealt out evenly.
  std::vector<std::vector<int>> ports{};
  // Processors of the machine's hosts that have no rank slots, the first of each: they can add.
  std::vector<DeviceId> servers{};
  // Where circuits join hosts: see ring_strides (circuits.h), by number of the group's hosts.
  std::vector<int> strides{};
  bool operator==(const HostLayout&) const = default;
};

// The members are given by position; without a machine there are no slots and one NIC a host.
HostLayout host_layout(const std::vector<Seat>& seats_by_position);
HostLayout host_layout(const Topology& topology, std::vector<DeviceId> slots);
HostLayout even_layout(int hosts, int ranks_per_host, int nics_per_host);  // position = h * m + l

// Where a position of the group sits: the numbers that lead to it in `hosts`.
Seat seat_at(const HostLayout& layout, int position);

// As many members on every host.
bool uniform(const HostLayout& layout);

// The seat of a rank slot (GPU, or CPU rank slot).
Seat seat_of(const Topology& topology, DeviceId slot);

// Both are rank slots.
bool same_host(const Topology& topology, DeviceId one, DeviceId other);

}  // namespace quintet
