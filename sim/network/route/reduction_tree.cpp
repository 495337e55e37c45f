#include "sim/network/route/reduction_tree.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "sim/network/route/switch_paths.h"

namespace quintet {

namespace {

constexpr int no_way = SwitchPaths::no_way;

bool is_switch(const Topology& topology, DeviceId device) {
  return topology.device(device).kind == DeviceKind::network_switch;
}

bool carries(const Link& link) {
  return link.kind == LinkKind::network && link.bandwidth > Bandwidth{};
}

LinkId chosen(const std::vector<LinkId>& links, std::uint64_t number) {
  return links[static_cast<std::size_t>(number % links.size())];
}

// A NIC's cables to switches.
std::vector<LinkId> cables_of(const Topology& topology, DeviceId nic) {
  std::vector<LinkId> cables;
  for (const LinkId id : topology.outgoing[nic.index()])
    if (carries(topology.link(id)) && is_switch(topology, topology.link(id).to))
      cables.push_back(id);
  return cables;
}

// Links from each switch to `root`; `no_way` where there is no way.
std::vector<int> distances_to(const Topology& topology, DeviceId root) {
  std::vector<int> distances(topology.devices.size(), no_way);
  std::vector<DeviceId> reached{root};
  distances[root.index()] = 0;
  for (std::size_t next = 0; next < reached.size(); ++next)
    for (const LinkId id : topology.outgoing[reached[next].index()]) {
      const Link& in = topology.link(reverse_of(id));
      if (!carries(in) || !is_switch(topology, in.from) || distances[in.from.index()] != no_way)
        continue;
      distances[in.from.index()] = distances[reached[next].index()] + 1;
      reached.push_back(in.from);
    }
  return distances;
}

// By the ways there: in a network of trees they are as long as the ways back.
DeviceId root_of(const Topology& topology, const std::set<DeviceId>& leaves, std::uint64_t number) {
  if (leaves.size() == 1) return *leaves.begin();
  std::vector<int> sums(topology.devices.size(), 0);
  for (const DeviceId leaf : leaves) {
    const std::vector<int> distances = distances_to(topology, leaf);
    for (std::size_t device = 0; device < sums.size(); ++device)
      sums[device] = distances[device] == no_way || sums[device] == no_way
                         ? no_way
                         : sums[device] + distances[device];
  }
  int least = std::numeric_limits<int>::max();
  std::vector<DeviceId> roots;
  for (std::size_t device = 0; device < sums.size(); ++device) {
    if (sums[device] == no_way || sums[device] > least) continue;
    if (sums[device] < least) roots.clear();
    least = sums[device];
    roots.push_back(id_at<DeviceId>(device));
  }
  return roots.empty() ? DeviceId{} : roots[static_cast<std::size_t>(number % roots.size())];
}

void climb(const Topology& topology, DeviceId from, const std::vector<int>& distances,
           std::uint64_t number, std::set<LinkId>& tree) {
  for (DeviceId at = from; distances[at.index()] > 0;) {
    std::vector<LinkId> up;
    for (const LinkId id : topology.outgoing[at.index()]) {
      const Link& link = topology.link(id);
      if (carries(link) && is_switch(topology, link.to) &&
          distances[link.to.index()] == distances[at.index()] - 1)
        up.push_back(id);
    }
    const LinkId link = chosen(up, number);
    if (!tree.insert(link).second) return;  // the rest of the way is there already
    at = topology.link(link).to;
  }
}

}  // namespace

std::vector<LinkId> reduction_tree(const Topology& topology, std::span<const DeviceId> nics,
                                   std::uint64_t number) {
  std::set<LinkId> tree;
  std::set<DeviceId> leaves;
  for (const DeviceId nic : nics) {
    const std::vector<LinkId> cables = cables_of(topology, nic);
    if (cables.empty()) return {};
    const LinkId cable = chosen(cables, number);
    tree.insert(cable);
    leaves.insert(topology.link(cable).to);
  }
  const DeviceId root = root_of(topology, leaves, number);
  if (!root.valid()) return {};
  const std::vector<int> distances = distances_to(topology, root);
  for (const DeviceId leaf : leaves) climb(topology, leaf, distances, number, tree);
  return {tree.begin(), tree.end()};
}

Seconds depth_of(const Topology& topology, const std::vector<LinkId>& tree) {
  std::map<DeviceId, LinkId> up;
  for (const LinkId link : tree) up[topology.link(link).from] = link;
  Seconds deepest;
  for (const LinkId link : tree) {
    Seconds depth;
    for (auto at = up.find(topology.link(link).from); at != up.end();
         at = up.find(topology.link(at->second).to))
      depth += topology.link(at->second).latency;
    deepest = std::max(deepest, depth);
  }
  return deepest;
}

}  // namespace quintet
