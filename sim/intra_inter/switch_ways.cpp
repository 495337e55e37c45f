#include "sim/intra_inter/switch_ways.h"

namespace quintet {

Route to_switch(const Topology& topology, DeviceId slot) {
  Route way;
  for (const LinkId id : topology.outgoing[slot.index()])
    if (topology.link(id).kind == LinkKind::nvlink) way.links.push_back({id, 1.0});
  for (RouteShare& use : way.links) use.share /= static_cast<double>(way.links.size());
  return way;
}

// Every wire is two links with neighbouring ids.
Route from_switch(const Topology& topology, DeviceId slot) {
  Route way = to_switch(topology, slot);
  for (RouteShare& use : way.links) use.link = LinkId{use.link.value ^ 1};
  return way;
}

}  // namespace quintet
