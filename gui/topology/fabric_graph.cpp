#include "gui/topology/fabric_graph.h"

#include <algorithm>

namespace quintet::gui {

namespace {

void add_once(std::vector<int>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace

Fabric fabric_of(const Topology& topology) {
  Fabric fabric;
  fabric.number_of_device.assign(topology.devices.size(), -1);
  for (std::size_t each = 0; each < topology.devices.size(); ++each)
    if (topology.devices[each].kind == DeviceKind::network_switch) {
      fabric.number_of_device[each] = static_cast<int>(fabric.switches.size());
      fabric.switches.push_back(id_at<DeviceId>(each));
    }
  fabric.of_switch.resize(fabric.switches.size());
  fabric.hosts_of_switch.resize(fabric.switches.size());
  for (const Link& link : topology.links) {
    const int from = fabric.number_of_device[link.from.index()];
    const int to = fabric.number_of_device[link.to.index()];
    if (from < 0) continue;
    const auto at = static_cast<std::size_t>(from);
    if (to >= 0)
      fabric.of_switch[at].push_back(to);
    else
      fabric.hosts_of_switch[at].push_back(topology.device(link.to).host.value);
  }
  for (auto& list : fabric.of_switch) add_once(list);
  for (auto& list : fabric.hosts_of_switch) add_once(list);
  return fabric;
}

}  // namespace quintet::gui
