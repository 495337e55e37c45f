#include "sim/analytic/sibling_groups.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace quintet {

namespace {

// Groups of a communicator are looked through one by one while they have so many members in all.
constexpr int few_members = 2048;
// In larger machines hosts are alike: who shares the first ones of a group shares all.
constexpr std::size_t hosts_looked_at = 2;
// What a larger group is like, but for how many there are.
constexpr std::size_t members_of_a_shape = 256;

std::vector<DeviceId> slots_of(const std::vector<Rank>& members,
                               const std::vector<DeviceId>& slots) {
  std::vector<DeviceId> placed;
  for (const Rank rank : members) placed.push_back(slots[rank.index()]);
  return placed;
}

// The first group that there is: stages may leave rank 0 out.
std::vector<Rank> first_group(const Grid& grid, const Communicator& communicator) {
  for (int rank = 0; rank < world_size(grid); ++rank)
    if (std::vector<Rank> group = group_of(grid, communicator, Rank{rank}); !group.empty())
      return group;
  return {};
}

std::vector<std::vector<Rank>> groups_beside(const Grid& grid, const Communicator& communicator,
                                             const std::vector<Rank>& own, const HostLayout& layout,
                                             const std::vector<std::int32_t>& rank_of_device,
                                             const Topology& topology) {
  std::vector<std::vector<Rank>> beside{own};
  std::set<Rank> known{own.front()};
  const std::size_t hosts = std::min(layout.hosts.size(), hosts_looked_at);
  for (std::size_t host = 0; host < hosts; ++host) {
    const DeviceId seat = layout.slots[static_cast<std::size_t>(layout.hosts[host].front())];
    for (const DeviceId slot : topology.host(topology.device(seat).host).gpus) {
      const std::int32_t rank = rank_of_device[slot.index()];
      if (rank < 0) continue;
      std::vector<Rank> group = group_of(grid, communicator, Rank{rank});
      if (!group.empty() && known.insert(group.front()).second) beside.push_back(std::move(group));
    }
  }
  return beside;
}

double kept(const LoadedLink& link, double bound) {
  return bound > 0 ? std::min(1.0, link.capacity / link.own / bound) : 1.0;
}

}  // namespace

double share_of(const std::vector<LoadedLink>& links, double kept_bound) {
  double share = std::numeric_limits<double>::infinity();
  for (const LoadedLink& link : links)
    share = std::min(share, link.capacity / (link.all * kept(link, kept_bound)));
  return share;
}

double alone_of(const std::vector<LoadedLink>& links, double kept_bound) {
  double share = std::numeric_limits<double>::infinity();
  for (const LoadedLink& link : links)
    share = std::min(share, link.capacity / (link.own * kept(link, kept_bound)));
  return share;
}

std::vector<LoadedLink> loaded_links(const std::vector<std::vector<Usage>>& loads,
                                     const std::vector<LinkShare>& capacities) {
  std::unordered_map<std::int32_t, LoadedLink> links;
  for (const Usage& use : loads.front())
    links[use.link] = {capacities[static_cast<std::size_t>(use.link)].capacity, use.per_unit, 0};
  for (const std::vector<Usage>& load : loads)
    for (const Usage& use : load)
      if (const auto found = links.find(use.link); found != links.end())
        found->second.all += use.per_unit;
  std::vector<LoadedLink> kinds;
  for (const auto& [number, link] : links)
    if (std::find(kinds.begin(), kinds.end(), link) == kinds.end()) kinds.push_back(link);
  // Only those that limit alone or together can ever be asked for.
  std::sort(kinds.begin(), kinds.end(), [](const LoadedLink& one, const LoadedLink& other) {
    return one.capacity / one.all < other.capacity / other.all;
  });
  return kinds;
}

SiblingGroups::SiblingGroups(const Grid& grid, const Communicator& communicator,
                             const std::vector<DeviceId>& slots,
                             const std::vector<std::int32_t>& rank_of_device,
                             const Topology& topology, bool alone) {
  std::vector<Rank> own = first_group(grid, communicator);
  if (alone) {
    std::set<HostId> hosts;
    for (const Rank rank : own) hosts.insert(topology.device(slots[rank.index()]).host);
    const int ranks = static_cast<int>(own.size());
    if (own.size() > members_of_a_shape) own.resize(members_of_a_shape);
    layouts_.push_back(host_layout(topology, slots_of(own, slots)));
    shape_ = communicator_shape(topology, layout());
    shape_.ranks = ranks;
    shape_.nodes = static_cast<int>(hosts.size());
    return;
  }
  const HostLayout layout = host_layout(topology, slots_of(own, slots));
  const std::vector<std::vector<Rank>> groups =
      world_size(grid) <= few_members
          ? all_groups(grid, communicator)
          : groups_beside(grid, communicator, own, layout, rank_of_device, topology);
  for (const std::vector<Rank>& group : groups)
    layouts_.push_back(group == own ? layout : host_layout(topology, slots_of(group, slots)));
  // Where groups sit differently, the others wait for those on more hosts.
  const auto widest = std::max_element(layouts_.begin(), layouts_.end(),
                                       [](const HostLayout& one, const HostLayout& other) {
                                         return one.hosts.size() < other.hosts.size();
                                       });
  std::swap(layouts_.front(), *widest);
  shape_ = communicator_shape(topology, layouts_.front());
}

const SiblingGroups::Load& SiblingGroups::load(const Footprints& footprints,
                                               const std::vector<LinkShare>& capacities,
                                               CollectiveKind kind, Algorithm algorithm,
                                               Delivery delivery) {
  const auto [found, fresh] = loads_.try_emplace({kind, algorithm});
  if (!fresh) return found->second;
  std::vector<std::vector<Usage>> loads;
  for (const HostLayout& layout : layouts_) {
    Footprint footprint = footprints.of_group(layout, kind, algorithm, delivery);
    loads.push_back(whole_load(footprint.phases));
    if (loads.size() > 1) continue;
    found->second.own = std::move(footprint);
  }
  found->second.links = loaded_links(loads, capacities);
  found->second.own.phases.clear();
  return found->second;
}

}  // namespace quintet
