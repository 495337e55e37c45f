// The algorithms behind traffic(), a file each. Layouts are valid and uniform where they must be.
#pragma once

#include <vector>

#include "sim/ccl/traffic.h"

namespace quintet {

int rank_count(const HostLayout& layout);
int ranks_per_host(const HostLayout& layout);  // of a uniform layout

// How many channels cross hosts (one host needs no NIC: every member is as good a port), and the
// local index of a channel's port on a host of `members`.
int channel_count(const HostLayout& layout);
int port_of(int channel, int channels, int members);

TrafficPhase ring_traffic(CollectiveKind kind, const HostLayout& layout);
TrafficPhase tree_traffic(const HostLayout& layout);
TrafficPhase nvls_traffic(CollectiveKind kind, const HostLayout& layout);
TrafficPhase nvls_tree_traffic(const HostLayout& layout);
TrafficPhase collnet_direct_traffic(CollectiveKind kind, const HostLayout& layout);
TrafficPhase collnet_chain_traffic(const HostLayout& layout);
TrafficPhase pat_traffic(CollectiveKind kind, const HostLayout& layout);
TrafficPhase halving_doubling_traffic(CollectiveKind kind, const HostLayout& layout);
std::vector<TrafficPhase> direct_traffic(CollectiveKind kind, const HostLayout& layout);
std::vector<TrafficPhase> hierarchical_traffic(CollectiveKind kind, const HostLayout& layout);

}  // namespace quintet
