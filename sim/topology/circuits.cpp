#include "sim/topology/circuits.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace quintet {

namespace {

// What forwards in a host: the switch of its first NIC.
DeviceId node_of(const Topology& topology, HostId host) {
  for (const DeviceId nic : topology.host(host).nics)
    for (const LinkId link : topology.outgoing[nic.index()])
      if (topology.device(topology.link(link).to).kind == DeviceKind::network_switch)
        return topology.link(link).to;
  return {};
}

// How many circuits lead from a node to each other one.
std::map<DeviceId, int> circuits_from(const Topology& topology, DeviceId node) {
  std::map<DeviceId, int> circuits;
  if (!node.valid()) return circuits;
  for (const LinkId id : topology.outgoing[node.index()]) {
    const Link& link = topology.link(id);
    if (link.kind == LinkKind::network && link.bandwidth > Bandwidth{}) ++circuits[link.to];
  }
  return circuits;
}

int nearest_unused(const std::vector<int>& candidates, const std::vector<int>& used,
                   double wanted) {
  int best = 0;
  for (const int each : candidates) {
    const auto times = [&](int stride) { return std::count(used.begin(), used.end(), stride); };
    const bool closer = best == 0 || std::abs(each - wanted) < std::abs(best - wanted);
    if (best == 0 || times(each) < times(best) || (times(each) == times(best) && closer))
      best = each;
  }
  return best;
}

}  // namespace

std::vector<int> totient_strides(int hosts) {
  std::vector<int> strides;
  for (int stride = 1; stride < hosts; ++stride)
    if (std::gcd(stride, hosts) == 1) strides.push_back(stride);
  return strides;
}

std::vector<int> select_strides(int hosts, int count) {
  const std::vector<int> candidates = totient_strides(hosts);
  std::vector<int> chosen;
  if (candidates.empty()) return chosen;
  const double ratio = std::pow(hosts, 1.0 / count);
  for (int i = 0; i < count; ++i)
    chosen.push_back(nearest_unused(candidates, chosen, std::pow(ratio, i)));
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

std::vector<int> ring_strides(const Topology& topology, const std::vector<HostId>& hosts) {
  std::vector<int> strides;
  if (topology.network.circuits == 0) return strides;
  std::vector<DeviceId> nodes;
  std::vector<std::map<DeviceId, int>> circuits;
  for (const HostId host : hosts) {
    nodes.push_back(node_of(topology, host));
    circuits.push_back(circuits_from(topology, nodes.back()));
  }
  for (const int stride : totient_strides(static_cast<int>(hosts.size()))) {
    int side_by_side = topology.network.circuits;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const auto there =
          circuits[i].find(nodes[(i + static_cast<std::size_t>(stride)) % nodes.size()]);
      side_by_side = std::min(side_by_side, there == circuits[i].end() ? 0 : there->second);
    }
    strides.insert(strides.end(), static_cast<std::size_t>(side_by_side), stride);
  }
  return strides;
}

}  // namespace quintet
