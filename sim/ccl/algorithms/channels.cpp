#include "sim/ccl/algorithms/channels.h"

#include <algorithm>
#include <cstddef>

namespace quintet {

namespace {

void chain(EdgeSum& sum, const std::vector<int>& members, int port, double share) {
  const std::size_t count = members.size();
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const std::size_t above = (static_cast<std::size_t>(port) + i) % count;
    add_up_and_down(sum, members[(above + 1) % count], members[above], share);
  }
}

void across(EdgeSum& sum, const Channels& channels, const std::vector<TreeNode>& tree) {
  for (int host = 0; host < static_cast<int>(tree.size()); ++host) {
    const int parent = tree[static_cast<std::size_t>(host)].parent;
    if (parent < 0) continue;
    for (int channel = 0; channel < channels.count; ++channel)
      add_up_and_down(sum, channels.rank(host, channel), channels.rank(parent, channel),
                      0.5 * channels.share);
  }
}

}  // namespace

int channel_count(const HostLayout& layout) {
  std::size_t fewest = layout.hosts.front().size();
  for (const std::vector<int>& host : layout.hosts) fewest = std::min(fewest, host.size());
  const int members = static_cast<int>(fewest);
  return layout.hosts.size() == 1 ? members : std::clamp(layout.nics_per_host, 1, members);
}

int port_of(int channel, int channels, int members) {
  return channel * members / channels;
}

Channels::Channels(const HostLayout& hosts)
    : layout(hosts), count(channel_count(hosts)), share(1.0 / count) {}

int Channels::port(const std::vector<int>& members, int channel) const {
  return port_of(channel, count, static_cast<int>(members.size()));
}

int Channels::rank(int host, int channel) const {
  const std::vector<int>& members = layout.hosts[static_cast<std::size_t>(host)];
  return members[static_cast<std::size_t>(port(members, channel))];
}

void add_up_and_down(EdgeSum& sum, int below, int above, double share) {
  sum.add(below, above, share, Effect::reduce);
  sum.add(above, below, share, Effect::copy);
}

void add_chains(EdgeSum& sum, const Channels& channels) {
  for (const std::vector<int>& members : channels.layout.hosts)
    for (int channel = 0; channel < channels.count; ++channel)
      chain(sum, members, channels.port(members, channel), channels.share);
}

void add_double_tree(EdgeSum& sum, const Channels& channels) {
  const DoubleTree trees = double_tree(static_cast<int>(channels.layout.hosts.size()));
  across(sum, channels, trees.first);
  across(sum, channels, trees.second);
}

}  // namespace quintet
