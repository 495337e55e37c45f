#include <cstddef>

#include "sim/ccl/algorithms/edge_sum.h"
#include "sim/ccl/schedule.h"
#include "sim/ccl/traffic_by_algorithm.h"

namespace quintet {

namespace {

struct Shares {
  double added = 0.0, kept = 0.0;
};

Shares shares_of(CollectiveKind kind, std::size_t size, double part) {
  const double others = part * static_cast<double>(size - 1) / static_cast<double>(size);
  const bool adds = kind != CollectiveKind::all_gather;
  const bool keeps = kind != CollectiveKind::reduce_scatter;
  return {adds ? others : 0.0, keeps ? others : 0.0};
}

void ring(EdgeSum& sum, CollectiveKind kind, const std::vector<int>& order, double part) {
  const Shares shares = shares_of(kind, order.size(), part);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const int from = order[i], to = order[(i + 1) % order.size()];
    sum.add(from, to, shares.added, Effect::reduce);
    sum.add(from, to, shares.kept, Effect::copy);
  }
}

TrafficPhase inside(CollectiveKind kind, const HostLayout& layout) {
  EdgeSum sum;
  for (const std::vector<int>& members : layout.hosts) ring(sum, kind, members, 1.0);
  return sum.phase(kind, ring_steps(kind, ranks_per_host(layout)));
}

// The l-th members of all hosts, each ring with its share: bytes keep to their rail.
TrafficPhase across(CollectiveKind kind, const HostLayout& layout) {
  const auto per_host = static_cast<std::size_t>(ranks_per_host(layout));
  EdgeSum sum;
  for (std::size_t local = 0; local < per_host; ++local) {
    std::vector<int> rail;
    for (const std::vector<int>& members : layout.hosts) rail.push_back(members[local]);
    ring(sum, kind, rail, 1.0 / static_cast<double>(per_host));
  }
  return sum.phase(kind, ring_steps(kind, static_cast<int>(layout.hosts.size())));
}

}  // namespace

std::vector<TrafficPhase> hierarchical_traffic(CollectiveKind kind, const HostLayout& layout) {
  const bool alone = ranks_per_host(layout) == 1;
  const bool one_host = layout.hosts.size() == 1;
  if (one_host) return {inside(kind, layout)};
  if (alone) return {across(kind, layout)};
  std::vector<TrafficPhase> phases;
  if (kind != CollectiveKind::all_gather)
    phases.push_back(inside(CollectiveKind::reduce_scatter, layout));
  phases.push_back(across(kind, layout));
  if (kind != CollectiveKind::reduce_scatter)
    phases.push_back(inside(CollectiveKind::all_gather, layout));
  return phases;
}

}  // namespace quintet
