#include "gui/topology/link_states.h"

namespace quintet::gui {

namespace {

LinkTrouble trouble_of(const Link& built, const Link& worse) {
  if (worse.left < built.left) return LinkTrouble::slow;
  if (worse.latency > built.latency) return LinkTrouble::late;
  return LinkTrouble::none;
}

}  // namespace

std::string_view name_of(LinkTrouble trouble) {
  switch (trouble) {
    case LinkTrouble::none:
      return "";
    case LinkTrouble::slow:
      return "slow";
    case LinkTrouble::late:
      return "late";
    case LinkTrouble::failed:
      return "failed";
  }
  return "";
}

std::vector<LinkId> links_left(const Topology& built, const Topology& worse) {
  std::vector<LinkId> left(built.links.size());
  std::size_t next = 0;
  for (std::size_t link = 0; link < built.links.size() && next < worse.links.size(); ++link) {
    const Link &one = built.links[link], &other = worse.links[next];
    if (one.from == other.from && one.to == other.to) left[link] = id_at<LinkId>(next++);
  }
  return left;
}

std::vector<LinkState> link_states(const Topology& built, const Topology& worse,
                                   const Carried& carried) {
  std::vector<LinkState> states(built.links.size());
  const std::vector<LinkId> left = links_left(built, worse);
  for (std::size_t link = 0; link < states.size(); ++link) {
    LinkState& state = states[link];
    if (!left[link].valid()) {
      state.latency = built.links[link].latency;
      state.trouble = LinkTrouble::failed;
      continue;
    }
    const Link& now = worse.link(left[link]);
    state.rate = now.rate();
    state.latency = now.latency;
    state.trouble = trouble_of(built.links[link], now);
    if (left[link].index() >= carried.load_of_link.size()) continue;
    const std::int32_t load = carried.load_of_link[left[link].index()];
    if (load < 0) continue;
    state.bytes = carried.bytes[static_cast<std::size_t>(load)];
    const Bytes possible = state.rate * carried.time;
    if (possible > Bytes{}) state.utilisation = Bytes{state.bytes} / possible;
  }
  return states;
}

std::string cable_name(const Topology& topology, LinkId link) {
  const Link& even = topology.link(LinkId{link.value & ~1});
  return topology.device(even.from).name + "-" + topology.device(even.to).name;
}

}  // namespace quintet::gui
