#include "sim/ccl/traffic.h"

#include <algorithm>
#include <cassert>
#include <cstddef>

#include "sim/ccl/traffic_by_algorithm.h"

namespace quintet {

namespace {

bool splits(CollectiveKind kind) {
  return kind == CollectiveKind::all_reduce || kind == CollectiveKind::reduce_scatter ||
         kind == CollectiveKind::all_gather;
}

bool can(CollectiveKind kind, Algorithm algorithm, const HostLayout& layout) {
  const bool all_reduce = kind == CollectiveKind::all_reduce;
  switch (algorithm) {
    case Algorithm::tree:
      return all_reduce;
    case Algorithm::ring:
      return kind != CollectiveKind::all_to_all;
    case Algorithm::collnet_chain:
    case Algorithm::nvls_tree:
      return all_reduce && uniform(layout);
    case Algorithm::nvls:
    case Algorithm::collnet_direct:
    case Algorithm::hierarchical:
      return splits(kind) && uniform(layout);
    case Algorithm::pat:
      return splits(kind) && !all_reduce && ranks_per_host(layout) == 1;
    case Algorithm::halving_doubling:
      return splits(kind);
    case Algorithm::direct:
      return true;
  }
  assert(false);
  return false;
}

}  // namespace

int rank_count(const HostLayout& layout) {
  std::size_t count = 0;
  for (const std::vector<int>& host : layout.hosts) count += host.size();
  return static_cast<int>(count);
}

int ranks_per_host(const HostLayout& layout) {
  return uniform(layout) ? static_cast<int>(layout.hosts.front().size()) : 0;
}

int channel_count(const HostLayout& layout) {
  std::size_t fewest = layout.hosts.front().size();
  for (const std::vector<int>& host : layout.hosts) fewest = std::min(fewest, host.size());
  const int members = static_cast<int>(fewest);
  return layout.hosts.size() == 1 ? members : std::clamp(layout.nics_per_host, 1, members);
}

int port_of(int channel, int channels, int members) {
  return channel * members / channels;
}

std::vector<TrafficPhase> traffic(CollectiveKind kind, Algorithm algorithm,
                                  const HostLayout& layout) {
  assert(!layout.hosts.empty());
  if (!can(kind, algorithm, layout)) return {};
  switch (algorithm) {
    case Algorithm::tree:
      return {tree_traffic(layout)};
    case Algorithm::ring:
      return {ring_traffic(kind, layout)};
    case Algorithm::collnet_direct:
      return {collnet_direct_traffic(kind, layout)};
    case Algorithm::collnet_chain:
      return {collnet_chain_traffic(layout)};
    case Algorithm::nvls:
      return {nvls_traffic(kind, layout)};
    case Algorithm::nvls_tree:
      return {nvls_tree_traffic(layout)};
    case Algorithm::pat:
      return {pat_traffic(kind, layout)};
    case Algorithm::halving_doubling:
      return {halving_doubling_traffic(kind, layout)};
    case Algorithm::direct:
      return direct_traffic(kind, layout);
    case Algorithm::hierarchical:
      return hierarchical_traffic(kind, layout);
  }
  assert(false);
  return {};
}

}  // namespace quintet
