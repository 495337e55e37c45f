#include "sim/analytic/sibling_groups.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <unordered_map>

#include "sim/base/digest.h"
#include "sim/ccl/algorithms/collective_algorithm.h"

namespace quintet {

namespace {

// Groups of a communicator are looked through one by one while they have so many members in all.
constexpr int few_members = 2048;
// In larger machines hosts are alike: who shares the first ones of a group shares all.
constexpr std::size_t hosts_looked_at = 2;
// What a larger group is like, but for how many there are.
constexpr std::size_t members_of_a_shape = 256;

constexpr double never_limited = std::numeric_limits<double>::infinity();

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

// Messages that wait for one another: in turn along all ranks, or by the levels of a tree.
void lengthen(Footprint& footprint, Algorithm algorithm, const CommunicatorShape& few,
              const CommunicatorShape& all) {
  const bool in_turn = row_of(algorithm).crossing == CollectiveAlgorithm::Crossing::in_turn;
  const auto ratio = [&](int more, int less) {
    return in_turn ? static_cast<double>(more) / less : std::log2(more) / std::log2(less);
  };
  if (few.nodes < 2) return;
  footprint.network_steps = static_cast<int>(footprint.network_steps * ratio(all.nodes, few.nodes));
  footprint.local_steps = static_cast<int>(footprint.local_steps * ratio(all.ranks, few.ranks));
}

}  // namespace

SharedLinks::SharedLinks(const std::vector<std::vector<Usage>>& loads,
                         const std::vector<LinkShare>& capacities,
                         const std::vector<bool>& trunks) {
  std::unordered_map<std::int32_t, LoadedLink> links;
  for (const std::vector<Usage>& load : loads) {
    double own_rate = never_limited;
    for (const Usage& use : load) {
      const auto number = static_cast<std::size_t>(use.link);
      LoadedLink& link = links[use.link];
      link.capacity = capacities[number].capacity;
      link.own = std::max(link.own, use.per_unit);
      link.all += use.per_unit;
      if (!trunks[number]) own_rate = std::min(own_rate, link.capacity / use.per_unit);
    }
    alone_ = std::max(alone_, own_rate);
  }
  std::vector<LoadedLink> all;
  for (const auto& [number, link] : links) {
    totals_.push_back({number, link.all, link.capacity});
    all.push_back(link);
  }
  std::sort(totals_.begin(), totals_.end(),
            [](const LinkTotal& one, const LinkTotal& other) { return one.link < other.link; });
  // A link that leaves more than another whatever is kept never limits.
  std::sort(all.begin(), all.end(), [](const LoadedLink& one, const LoadedLink& other) {
    return std::pair(one.capacity / one.all, one.own / one.all) <
           std::pair(other.capacity / other.all, other.own / other.all);
  });
  for (const LoadedLink& link : all)
    if (limits_.empty() || link.own / link.all < limits_.back().own / limits_.back().all)
      limits_.push_back(link);
}

std::size_t SharedLinksHash::operator()(const SharedLinks& links) const {
  Digest digest;
  digest.add(links.share(0)).add(links.alone(0));
  for (const LinkTotal& total : links.totals()) digest.add(total.link).add(total.per_byte);
  return static_cast<std::size_t>(digest.value());
}

double SharedLinks::share(double kept_bound) const {
  double share = never_limited;
  for (const LoadedLink& link : limits_)
    share = std::min(share, std::max(link.capacity, kept_bound * link.own) / link.all);
  return share;
}

double SharedLinks::alone(double kept_bound) const {
  return limits_.empty() || kept_bound > 0 ? never_limited : alone_;
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

const SiblingGroups::Load& SiblingGroups::load(Footprints& footprints,
                                               const std::vector<LinkShare>& capacities,
                                               const std::vector<bool>& trunks, CollectiveKind kind,
                                               Algorithm algorithm, Delivery delivery) {
  const auto [found, fresh] = loads_.try_emplace({kind, algorithm, delivery});
  if (!fresh) return found->second;
  if (few_ != nullptr) {
    found->second = few_->load(footprints, capacities, trunks, kind, algorithm, delivery);
    lengthen(found->second.own, algorithm, few_->shape(), shape_);
    return found->second;
  }
  std::vector<std::vector<Usage>> loads;
  for (const HostLayout& layout : layouts_) {
    Footprint footprint = footprints.of_group(layout, kind, algorithm, delivery);
    loads.push_back(whole_load(footprint.phases));
    if (loads.size() > 1) continue;
    found->second.own = std::move(footprint);
  }
  found->second.links = SharedLinks(loads, capacities, trunks);
  found->second.own.phases.clear();
  return found->second;
}

}  // namespace quintet
