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

int port_of(const HostLayout& layout, std::size_t host, int channel, int channels) {
  const bool listed = !layout.ports.empty() && layout.hosts.size() > 1;
  if (listed) return layout.ports[host][static_cast<std::size_t>(channel)];
  return channel * static_cast<int>(layout.hosts[host].size()) / channels;
}

Channels::Channels(const HostLayout& hosts)
    : layout(hosts), count(channel_count(hosts)), share(1.0 / count) {}

int Channels::port(std::size_t host, int channel) const {
  return port_of(layout, host, channel, count);
}

int Channels::rank(int host, int channel) const {
  const auto at = static_cast<std::size_t>(host);
  return layout.hosts[at][static_cast<std::size_t>(port(at, channel))];
}

void add_up_and_down(EdgeSum& sum, int below, int above, double share) {
  sum.add(below, above, share, Effect::reduce);
  sum.add(above, below, share, Effect::copy);
}

void add_chains(EdgeSum& sum, const Channels& channels) {
  for (std::size_t host = 0; host < channels.layout.hosts.size(); ++host)
    for (int channel = 0; channel < channels.count; ++channel)
      chain(sum, channels.layout.hosts[host], channels.port(host, channel), channels.share);
}

void add_double_tree(EdgeSum& sum, const Channels& channels) {
  const DoubleTree trees = double_tree(static_cast<int>(channels.layout.hosts.size()));
  across(sum, channels, trees.first);
  across(sum, channels, trees.second);
}

}  // namespace quintet
