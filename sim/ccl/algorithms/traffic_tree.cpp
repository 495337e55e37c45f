#include <bit>
#include <cstddef>

#include "sim/ccl/algorithms/edge_sum.h"
#include "sim/ccl/schedule.h"
#include "sim/ccl/traffic_by_algorithm.h"

namespace quintet {

namespace {

int log2_floor(std::size_t value) {
  return static_cast<int>(std::bit_width(value)) - 1;
}

// Up from `below` to `above`, and the result back down.
void up_and_down(EdgeSum& sum, int below, int above, double share) {
  sum.add(below, above, share, Effect::reduce);
  sum.add(above, below, share, Effect::copy);
}

// The host's members as a chain that ends at the port.
void chain(EdgeSum& sum, const std::vector<int>& members, int port, double share) {
  const std::size_t count = members.size();
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const std::size_t above = (static_cast<std::size_t>(port) + i) % count;
    up_and_down(sum, members[(above + 1) % count], members[above], share);
  }
}

// A layout with its channels counted once.
struct Channels {
  const HostLayout& layout;
  int count = 1;
  double share = 1.0;

  explicit Channels(const HostLayout& hosts)
      : layout(hosts), count(channel_count(hosts)), share(1.0 / count) {}
  int port(const std::vector<int>& members, int channel) const {
    return port_of(channel, count, static_cast<int>(members.size()));
  }
  int rank(int host, int channel) const {
    const std::vector<int>& members = layout.hosts[static_cast<std::size_t>(host)];
    return members[static_cast<std::size_t>(port(members, channel))];
  }
};

void across(EdgeSum& sum, const Channels& channels, const std::vector<TreeNode>& tree) {
  for (int host = 0; host < static_cast<int>(tree.size()); ++host) {
    const int parent = tree[static_cast<std::size_t>(host)].parent;
    if (parent < 0) continue;
    for (int channel = 0; channel < channels.count; ++channel)
      up_and_down(sum, channels.rank(host, channel), channels.rank(parent, channel),
                  0.5 * channels.share);
  }
}

// Each channel's bytes: half over either tree.
void across_both(EdgeSum& sum, const Channels& channels) {
  const DoubleTree trees = double_tree(static_cast<int>(channels.layout.hosts.size()));
  across(sum, channels, trees.first);
  across(sum, channels, trees.second);
}

void chains(EdgeSum& sum, const Channels& channels) {
  for (const std::vector<int>& members : channels.layout.hosts)
    for (int channel = 0; channel < channels.count; ++channel)
      chain(sum, members, channels.port(members, channel), channels.share);
}

// Inside a host: every rank's operands rise, every head's reduced share comes down and goes back,
// and all of the result comes down to everyone.
void through_switch(EdgeSum& sum, const Channels& channels) {
  for (int host = 0; host < static_cast<int>(channels.layout.hosts.size()); ++host) {
    for (const int rank : channels.layout.hosts[static_cast<std::size_t>(host)]) {
      sum.add(rank, host_switch, 1.0, Effect::reduce);
      sum.add(host_switch, rank, 1.0, Effect::copy);
    }
    for (int channel = 0; channel < channels.count; ++channel) {
      const int head = channels.rank(host, channel);
      sum.add(host_switch, head, channels.share, Effect::copy);
      sum.add(head, host_switch, channels.share, Effect::copy);
    }
  }
}

}  // namespace

TrafficPhase tree_traffic(const HostLayout& layout) {
  const Channels channels(layout);
  EdgeSum sum;
  chains(sum, channels);
  across_both(sum, channels);
  const int chain_edges = static_cast<int>(layout.hosts.front().size()) - 1;
  return sum.phase(CollectiveKind::all_reduce, 2 * (chain_edges + log2_floor(layout.hosts.size())));
}

TrafficPhase collnet_chain_traffic(const HostLayout& layout) {
  const Channels channels(layout);
  EdgeSum sum;
  chains(sum, channels);
  for (int host = 0; host < static_cast<int>(layout.hosts.size()); ++host)
    for (int channel = 0; channel < channels.count; ++channel)
      up_and_down(sum, channels.rank(host, channel), network_reducer, channels.share);
  return sum.phase(CollectiveKind::all_reduce, 2 * ranks_per_host(layout));
}

TrafficPhase nvls_tree_traffic(const HostLayout& layout) {
  const Channels channels(layout);
  EdgeSum sum;
  if (ranks_per_host(layout) > 1) through_switch(sum, channels);
  across_both(sum, channels);
  return sum.phase(CollectiveKind::all_reduce, 2 + 2 * log2_floor(layout.hosts.size()));
}

}  // namespace quintet
