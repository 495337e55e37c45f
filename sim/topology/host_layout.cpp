#include "sim/topology/host_layout.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <set>

#include "sim/topology/circuits.h"

namespace quintet {

namespace {

int nics_of(const Topology& topology, const HostLayout& layout, const std::vector<int>& members) {
  std::set<DeviceId> nics;
  for (const int position : members)
    if (const DeviceId nic = nic_of(topology, layout.slots[static_cast<std::size_t>(position)]);
        nic.valid())
      nics.insert(nic);
  return std::max(1, static_cast<int>(nics.size()));
}

bool any_lost_nics(const Topology& topology, const HostLayout& layout) {
  return std::any_of(layout.hosts.begin(), layout.hosts.end(), [&](const std::vector<int>& host) {
    const DeviceId slot = layout.slots[static_cast<std::size_t>(host.front())];
    return topology.host(topology.device(slot).host).lost_nics > 0;
  });
}

// Members with a NIC beside them, the first of each NIC; where none has one, the first of each NIC
// that members are dealt.
std::vector<int> ports_of(const Topology& topology, const HostLayout& layout,
                          const std::vector<int>& members) {
  std::vector<int> near, any;
  std::set<DeviceId> nics_near, nics;
  for (std::size_t local = 0; local < members.size(); ++local) {
    const DeviceId slot = layout.slots[static_cast<std::size_t>(members[local])];
    const DeviceId nic = nic_of(topology, slot);
    if (!nic.valid()) continue;
    const int index = static_cast<int>(local);
    if (nics.insert(nic).second) any.push_back(index);
    if (has_near_nic(topology, slot) && nics_near.insert(nic).second) near.push_back(index);
  }
  if (near.empty()) near = any;
  return near.empty() ? std::vector{0} : near;
}

// Fewest over the hosts, where hosts are of several kinds or have lost NICs: NCCL's communicator
// has as many channels as the host with the fewest (init.cc: the minimum over all ranks).
void count_nics(const Topology& topology, HostLayout& layout) {
  layout.nics_per_host = nics_of(topology, layout, layout.hosts.front());
  if (any_lost_nics(topology, layout)) {
    for (const std::vector<int>& host : layout.hosts)
      layout.ports.push_back(ports_of(topology, layout, host));
    for (const std::vector<int>& ports : layout.ports)
      layout.nics_per_host = std::min(layout.nics_per_host, static_cast<int>(ports.size()));
  } else if (topology.host_specs.size() > 1) {
    for (const std::vector<int>& host : layout.hosts)
      layout.nics_per_host = std::min(layout.nics_per_host, nics_of(topology, layout, host));
  }
}

// Processors of hosts without places for ranks.
std::vector<DeviceId> servers_of(const Topology& topology) {
  std::vector<DeviceId> servers;
  for (const Host& host : topology.hosts)
    if (host.gpus.empty() && !host.nics.empty())
      servers.push_back(cpu_of(topology, host.nics.front()));
  return servers;
}

std::vector<HostId> hosts_of(const Topology& topology, const HostLayout& layout) {
  std::vector<HostId> hosts;
  for (const std::vector<int>& members : layout.hosts)
    hosts.push_back(topology.device(layout.slots[static_cast<std::size_t>(members.front())]).host);
  return hosts;
}

}  // namespace

HostLayout host_layout(const std::vector<Seat>& seats) {
  HostLayout layout;
  int last = -1;
  for (const Seat& seat : seats) last = std::max(last, seat.host);
  std::vector<std::int32_t> order(static_cast<std::size_t>(last + 1), -1);
  for (std::size_t position = 0; position < seats.size(); ++position) {
    std::int32_t& at = order[static_cast<std::size_t>(seats[position].host)];
    if (at < 0) {
      at = static_cast<std::int32_t>(layout.hosts.size());
      layout.hosts.emplace_back();
    }
    layout.hosts[static_cast<std::size_t>(at)].push_back(static_cast<int>(position));
  }
  const auto local = [&](int position) { return seats[static_cast<std::size_t>(position)].local; };
  const auto before = [&](int one, int other) { return local(one) < local(other); };
  for (std::vector<int>& members : layout.hosts)
    if (!std::is_sorted(members.begin(), members.end(), before))
      std::stable_sort(members.begin(), members.end(), before);
  return layout;
}

HostLayout host_layout(const Topology& topology, std::vector<DeviceId> slots) {
  std::vector<Seat> seats;
  for (const DeviceId slot : slots) seats.push_back(seat_of(topology, slot));
  HostLayout layout = host_layout(seats);
  layout.slots = std::move(slots);
  count_nics(topology, layout);
  if (topology.host_specs.size() > 1) layout.servers = servers_of(topology);
  if (topology.network.circuits > 0)
    layout.strides = ring_strides(topology, hosts_of(topology, layout));
  return layout;
}

HostLayout even_layout(int hosts, int ranks_per_host, int nics_per_host) {
  HostLayout layout{{}, nics_per_host, {}};
  for (int host = 0; host < hosts; ++host) {
    std::vector<int>& members = layout.hosts.emplace_back();
    for (int local = 0; local < ranks_per_host; ++local)
      members.push_back(host * ranks_per_host + local);
  }
  return layout;
}

Seat seat_at(const HostLayout& layout, int position) {
  for (std::size_t host = 0; host < layout.hosts.size(); ++host) {
    const std::vector<int>& members = layout.hosts[host];
    const auto found = std::find(members.begin(), members.end(), position);
    if (found != members.end())
      return {static_cast<int>(host), static_cast<int>(found - members.begin())};
  }
  assert(false);
  return {};
}

bool uniform(const HostLayout& layout) {
  return std::all_of(layout.hosts.begin(), layout.hosts.end(), [&](const std::vector<int>& host) {
    return host.size() == layout.hosts.front().size();
  });
}

Seat seat_of(const Topology& topology, DeviceId slot) {
  const HostId host = topology.device(slot).host;
  const std::vector<DeviceId>& slots = topology.host(host).gpus;
  const auto at = std::find(slots.begin(), slots.end(), slot);
  assert(at != slots.end());
  return {host.value, static_cast<int>(at - slots.begin())};
}

bool same_host(const Topology& topology, DeviceId one, DeviceId other) {
  return topology.device(one).host == topology.device(other).host;
}

}  // namespace quintet
