#include "sim/intra_inter/group_layout.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <map>

namespace quintet {

namespace {

std::vector<int> locals_of(const std::vector<Seat>& seats, const std::vector<int>& members) {
  std::vector<int> locals;
  for (const int position : members)
    locals.push_back(seats[static_cast<std::size_t>(position)].local);
  return locals;
}

}  // namespace

GroupLayout group_layout(const std::vector<Seat>& seats) {
  GroupLayout layout;
  std::map<int, std::size_t> order;
  for (std::size_t position = 0; position < seats.size(); ++position) {
    const auto [at, first_seen] = order.insert({seats[position].host, layout.hosts.size()});
    if (first_seen) layout.hosts.emplace_back();
    layout.hosts[at->second].push_back(static_cast<int>(position));
  }
  for (std::vector<int>& members : layout.hosts) {
    std::stable_sort(members.begin(), members.end(), [&](int a, int b) {
      return seats[static_cast<std::size_t>(a)].local < seats[static_cast<std::size_t>(b)].local;
    });
    layout.uniform &= members.size() == layout.hosts.front().size();
    layout.aligned &= locals_of(seats, members) == locals_of(seats, layout.hosts.front());
  }
  return layout;
}

Seat seat_of(const Topology& topology, DeviceId slot) {
  const HostId host = topology.device(slot).host;
  const std::vector<DeviceId>& slots = topology.host(host).gpus;
  const auto at = std::find(slots.begin(), slots.end(), slot);
  assert(at != slots.end());
  return {host.value, static_cast<int>(at - slots.begin())};
}

std::vector<DeviceId> slots_of_ranks(const Topology& topology, const std::vector<int>& placement,
                                     int ranks) {
  const std::vector<DeviceId> slots = rank_slots(topology);
  std::vector<DeviceId> placed;
  for (int rank = 0; rank < ranks; ++rank) {
    const int slot = placement.empty() ? rank : placement[static_cast<std::size_t>(rank)];
    placed.push_back(slots[static_cast<std::size_t>(slot)]);
  }
  return placed;
}

std::vector<int> level_sizes(const GroupLayout& layout) {
  assert(layout.uniform && !layout.hosts.empty());
  return {static_cast<int>(layout.hosts.front().size()), static_cast<int>(layout.hosts.size())};
}

}  // namespace quintet
