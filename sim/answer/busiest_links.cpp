#include "sim/answer/busiest_links.h"

#include <algorithm>
#include <map>
#include <utility>

namespace quintet {
namespace {

using End = std::pair<DeviceKind, int>;  // and tier
using Kind = std::pair<PartId, std::pair<End, End>>;

End end_of(const Topology& topology, DeviceId id) {
  const Device& device = topology.device(id);
  return {device.kind, device.tier};
}

Kind kind_of(const Topology& topology, const Link& link) {
  const End from = end_of(topology, link.from), to = end_of(topology, link.to);
  return {link.part, std::minmax(from, to)};
}

BusyLinks shown_as(const Topology& topology, LinkId id, Bytes carried, double utilisation) {
  const Link& link = topology.link(id);
  return {topology.device(link.from).name + " -> " + topology.device(link.to).name,
          topology.parts[link.part.index()].name, 0, carried, utilisation};
}

}  // namespace

std::vector<BusyLinks> busiest_links(const Topology& topology, std::span<const Bytes> carried,
                                     Seconds step, std::size_t most) {
  const auto utilisation = [&](LinkId id) {
    const Bytes possible = topology.link(id).rate() * step;
    return possible > Bytes{} ? carried[id.index()] / possible : 0.0;
  };
  std::map<Kind, std::vector<LinkId>> kinds;
  for (std::size_t i = 0; i < carried.size(); ++i)
    if (utilisation(id_at<LinkId>(i)) > 0.0)
      kinds[kind_of(topology, topology.links[i])].push_back(id_at<LinkId>(i));

  std::vector<BusyLinks> busiest;
  for (const auto& [kind, links] : kinds) {
    double peak = 0.0;
    for (const LinkId id : links) peak = std::max(peak, utilisation(id));
    const auto as_busy = [&](LinkId id) { return utilisation(id) >= (1.0 - 1e-3) * peak; };
    const LinkId first = *std::find_if(links.begin(), links.end(), as_busy);
    busiest.push_back(shown_as(topology, first, carried[first.index()], utilisation(first)));
    busiest.back().alike = static_cast<int>(std::count_if(links.begin(), links.end(), as_busy));
  }
  std::stable_sort(busiest.begin(), busiest.end(), [](const auto& left, const auto& right) {
    return left.utilisation > right.utilisation;
  });
  busiest.resize(std::min(busiest.size(), most));
  return busiest;
}

}  // namespace quintet
