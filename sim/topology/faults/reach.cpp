#include "sim/topology/faults/reach.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <vector>

namespace quintet {
namespace {

// Network switches that reach each other share a number (union by smallest).
class Regions {
 public:
  explicit Regions(const Topology& topology) : parent_(topology.devices.size()) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
    for (const Link& link : topology.links)
      if (is_switch(topology, link.from) && is_switch(topology, link.to))
        parent_[root(link.from.index())] = root(link.to.index());
  }
  static bool is_switch(const Topology& topology, DeviceId device) {
    return topology.device(device).kind == DeviceKind::network_switch;
  }
  std::size_t root(std::size_t device) {
    while (parent_[device] != device) device = parent_[device] = parent_[parent_[device]];
    return device;
  }

 private:
  std::vector<std::size_t> parent_;
};

using RegionSet = std::set<std::size_t>;

// "0-7, 16-23 and 40 others"
std::string ranges_text(const std::vector<int>& numbers) {
  constexpr int most = 6;
  std::string text;
  int shown = 0, ranges = 0;
  for (std::size_t i = 0; i < numbers.size() && ranges < most; ++ranges) {
    std::size_t end = i;
    while (end + 1 < numbers.size() && numbers[end + 1] == numbers[end] + 1) ++end;
    text += (text.empty() ? "" : ", ") + fmt::to_string(numbers[i]);
    if (end > i) text += fmt::format("-{}", numbers[end]);
    shown += static_cast<int>(end - i) + 1;
    i = end + 1;
  }
  const int others = static_cast<int>(numbers.size()) - shown;
  return others > 0 ? fmt::format("{} and {} others", text, others) : text;
}

std::string ranks_text(const std::vector<int>& ranks) {
  return (ranks.size() == 1 ? "rank " : "ranks ") + ranges_text(ranks);
}

std::string hosts_text(const std::vector<int>& hosts) {
  return (hosts.size() == 1 ? "host " : "hosts ") + ranges_text(hosts);
}

struct Side {
  std::vector<int> hosts, ranks;
};

RegionSet regions_of_host(const Topology& topology, std::size_t host, Regions& regions,
                          const std::vector<std::vector<DeviceId>>& doors) {
  RegionSet reached;
  for (const DeviceId door : doors[host])
    for (const LinkId link : topology.outgoing[door.index()])
      if (Regions::is_switch(topology, topology.link(link).to))
        reached.insert(regions.root(topology.link(link).to.index()));
  return reached;
}

std::vector<std::vector<DeviceId>> doors_of_hosts(const Topology& topology) {
  std::vector<std::vector<DeviceId>> doors(topology.hosts.size());
  for (const Link& link : topology.links)
    if (const HostId host = topology.device(link.from).host;
        host.valid() && Regions::is_switch(topology, link.to))
      doors[host.index()].push_back(link.from);
  return doors;
}

std::string apart_text(const Side& one, const Side& other) {
  return fmt::format("{} ({}) cannot reach {} ({})", ranks_text(one.ranks), hosts_text(one.hosts),
                     ranks_text(other.ranks), hosts_text(other.hosts));
}

// Hosts that reach the same regions are one side.
std::map<RegionSet, Side> sides_of(const Topology& topology, Regions& regions) {
  std::map<RegionSet, Side> sides;
  const auto doors = doors_of_hosts(topology);
  int rank = 0;
  for (std::size_t host = 0; host < topology.hosts.size(); ++host) {
    Side& side = sides[regions_of_host(topology, host, regions, doors)];
    side.hosts.push_back(static_cast<int>(host));
    for (std::size_t slot = 0; slot < topology.hosts[host].gpus.size(); ++slot)
      side.ranks.push_back(rank++);
  }
  return sides;
}

bool meet(const RegionSet& one, const RegionSet& other) {
  return std::any_of(one.begin(), one.end(),
                     [&](std::size_t region) { return other.contains(region); });
}

// Rails that nothing joins any more: hosts share them, but NICs of different rails do not meet.
std::string rails_apart(const Topology& topology, Regions& regions) {
  std::map<std::size_t, std::vector<int>> ranks;  // by their NIC's region
  int rank = 0;
  for (const DeviceId slot : rank_slots(topology)) {
    const DeviceId nic = nic_of(topology, slot);
    for (const LinkId link : topology.outgoing[(nic.valid() ? nic : slot).index()])
      if (Regions::is_switch(topology, topology.link(link).to)) {
        ranks[regions.root(topology.link(link).to.index())].push_back(rank);
        break;
      }
    ++rank;
  }
  if (ranks.size() < 2) return "";
  return fmt::format(
      "the NICs of {} cannot reach those of {}; fail these NICs too and NCCL does "
      "without them",
      ranks_text(ranks.begin()->second), ranks_text(std::next(ranks.begin())->second));
}

}  // namespace

std::optional<std::string> cut_off(const Topology& topology) {
  if (topology.hosts.size() < 2) return std::nullopt;
  Regions regions(topology);
  const std::map<RegionSet, Side> sides = sides_of(topology, regions);
  for (auto one = sides.begin(); one != sides.end(); ++one) {
    if (one->first.empty() && one->second.hosts.size() > 1) {
      const Side first{{one->second.hosts[0]}, {one->second.ranks.front()}};
      const Side second{{one->second.hosts.back()}, {one->second.ranks.back()}};
      return apart_text(first, second);
    }
    for (auto other = std::next(one); other != sides.end(); ++other)
      if (!meet(one->first, other->first)) return apart_text(one->second, other->second);
  }
  if (std::string apart = rails_apart(topology, regions); !apart.empty()) return apart;
  return std::nullopt;
}

}  // namespace quintet
