// The algorithms that there are, and what is answered from their rows alone.
#include <algorithm>
#include <cassert>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "sim/ccl/algorithms/collective_algorithm.h"

namespace quintet {

extern const CollectiveAlgorithm tree_row, ring_row, collnet_direct_row, collnet_chain_row,
    nvls_row, nvls_tree_row, pat_row, halving_doubling_row, direct_row, hierarchical_row,
    multi_ring_row, in_network_row, parameter_server_row, byteps_row;

// No default: an algorithm without a row does not compile.
const CollectiveAlgorithm& row_of(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::tree:
      return tree_row;
    case Algorithm::ring:
      return ring_row;
    case Algorithm::collnet_direct:
      return collnet_direct_row;
    case Algorithm::collnet_chain:
      return collnet_chain_row;
    case Algorithm::nvls:
      return nvls_row;
    case Algorithm::nvls_tree:
      return nvls_tree_row;
    case Algorithm::pat:
      return pat_row;
    case Algorithm::halving_doubling:
      return halving_doubling_row;
    case Algorithm::direct:
      return direct_row;
    case Algorithm::hierarchical:
      return hierarchical_row;
    case Algorithm::multi_ring:
      return multi_ring_row;
    case Algorithm::in_network:
      return in_network_row;
    case Algorithm::parameter_server:
      return parameter_server_row;
    case Algorithm::byteps:
      return byteps_row;
  }
  assert(false);
  return ring_row;
}

int ScheduledGroup::ranks() const {
  return std::accumulate(levels.begin(), levels.end(), 1, std::multiplies<>{});
}

Schedule in_order(Schedule schedule, const ScheduledGroup& group) {
  const bool rooted =
      group.kind == CollectiveKind::broadcast || group.kind == CollectiveKind::reduce;
  if (group.order.empty() || rooted) return schedule;
  return with_ranks_in(std::move(schedule), group.order);
}

// Chunk r is rank r's share, so it moves with the rank; the pieces of a tree are nobody's.
Schedule with_ranks_in(Schedule schedule, const std::vector<int>& order) {
  assert(order.size() == static_cast<std::size_t>(schedule.ranks));
  assert(std::set<int>(order.begin(), order.end()).size() == order.size());
  const auto at = [&](int rank) { return order[static_cast<std::size_t>(rank)]; };
  for (Transfer& transfer : schedule.transfers) {
    transfer.from = at(transfer.from);
    transfer.to = at(transfer.to);
    if (schedule.chunks == schedule.ranks) transfer.chunk = at(transfer.chunk);
  }
  return schedule;
}

// Chunks are counted and divided once: sums are exact where a chunk's part of the buffer is not.
std::vector<TrafficPhase> traffic_of(const Schedule& schedule) {
  assert(schedule.kind != CollectiveKind::all_to_all);
  std::map<std::pair<int, int>, int> edges;
  std::map<Effect, std::map<int, int>> received;
  for (const Transfer& move : schedule.transfers) {
    ++edges[{move.from, move.to}];
    ++received[move.effect][move.to];
  }
  const auto part = [&](int chunks) { return static_cast<double>(chunks) / schedule.chunks; };
  const auto busiest = [&](Effect effect) {
    int most = 0;
    for (const auto& [rank, chunks] : received[effect]) most = std::max(most, chunks);
    return part(most);
  };
  TrafficPhase phase{.kind = schedule.kind};
  for (const auto& [pair, chunks] : edges)
    phase.edges.push_back({pair.first, pair.second, part(chunks)});
  phase.reduced_bytes_per_byte = busiest(Effect::reduce);
  phase.copied_bytes_per_byte = busiest(Effect::copy);
  phase.steps = schedule.steps;
  return {phase};
}

namespace {

// As the engine names the levels and the order of a group on this layout.
ScheduledGroup group_on(CollectiveKind kind, const HostLayout& layout) {
  ScheduledGroup group{.kind = kind, .levels = {rank_count(layout)}};
  for (const std::vector<int>& host : layout.hosts)
    group.order.insert(group.order.end(), host.begin(), host.end());
  if (uniform(layout))
    group.levels = {ranks_per_host(layout), static_cast<int>(layout.hosts.size())};
  return group;
}

}  // namespace

std::vector<TrafficPhase> traffic(CollectiveKind kind, Algorithm algorithm,
                                  const HostLayout& layout) {
  assert(!layout.hosts.empty());
  const CollectiveAlgorithm& row = row_of(algorithm);
  if (!row.kinds.contains(kind) || !row.hosts(layout)) return {};
  if (row.traffic != nullptr) return row.traffic(kind, layout);
  return traffic_of(row.schedule(group_on(kind, layout)));
}

Result<Schedule> schedule_of(Algorithm algorithm, const ScheduledGroup& group) {
  assert(!group.levels.empty());
  const CollectiveAlgorithm& row = row_of(algorithm);
  if (!row.executed.contains(group.kind))
    return Error{"collective", std::string(name_of(algorithm)) + " is not executed for " +
                                   std::string(name_of(group.kind)) +
                                   "; ring does all kinds but all-to-all, direct all-to-all"};
  return row.schedule(group);
}

}  // namespace quintet
