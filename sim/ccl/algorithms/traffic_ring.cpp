#include <cassert>
#include <cstddef>

#include "sim/ccl/algorithms/edge_sum.h"
#include "sim/ccl/schedule.h"
#include "sim/ccl/traffic_by_algorithm.h"

namespace quintet {

namespace {

struct Crossing {
  int enter = 0, leave = 0;  // local indices
};

// Where channel `channel` of `channels` enters and leaves host `host` (see HostLayout).
Crossing crossing_of(int channel, int channels, int host, int members) {
  const int own = port_of(channel, channels, members);
  const int partner = channel ^ 1;
  if (partner >= channels) return {own, (own + members - 1) % members};
  const int other = port_of(partner, channels, members);
  return host % 2 == 0 ? Crossing{own, other} : Crossing{other, own};
}

// Everyone on the host, from the one it enters at to the one it leaves at, by neighbours.
void append_host(std::vector<int>& order, const std::vector<int>& members, Crossing crossing) {
  const int count = static_cast<int>(members.size());
  const auto position = [&](int local) { return members[static_cast<std::size_t>(local)]; };
  const bool forwards_is_shortest = crossing.leave != (crossing.enter + 1) % count;
  const int direction = forwards_is_shortest ? 1 : count - 1;
  for (int i = 0, local = crossing.enter; i < count; ++i, local = (local + direction) % count)
    if (local != crossing.leave) order.push_back(position(local));
  order.push_back(position(crossing.leave));
}

std::vector<int> ring_order(const HostLayout& layout, int channel, int channels) {
  std::vector<int> order;
  for (std::size_t host = 0; host < layout.hosts.size(); ++host) {
    const std::vector<int>& members = layout.hosts[host];
    append_host(
        order, members,
        crossing_of(channel, channels, static_cast<int>(host), static_cast<int>(members.size())));
  }
  return order;
}

struct Share {
  double added = 0.0, kept = 0.0;
};

// What crosses the edge from -> to of a ring of n; a rooted collective cuts the ring at position 0.
Share share_of(CollectiveKind kind, int n, int from, int to) {
  const double others = static_cast<double>(n - 1) / n;
  switch (kind) {
    case CollectiveKind::all_reduce:
      return {others, others};
    case CollectiveKind::reduce_scatter:
      return {others, 0.0};
    case CollectiveKind::all_gather:
      return {0.0, others};
    case CollectiveKind::broadcast:
      return {0.0, to == 0 ? 0.0 : 1.0};
    case CollectiveKind::reduce:
      return {from == 0 ? 0.0 : 1.0, 0.0};
    case CollectiveKind::all_to_all:
      break;
  }
  assert(false);
  return {};
}

}  // namespace

TrafficPhase ring_traffic(CollectiveKind kind, const HostLayout& layout) {
  const int n = rank_count(layout);
  // Inside one host all channels may follow the same order.
  const bool one_host = layout.hosts.size() == 1;
  const int channels = one_host ? 1 : channel_count(layout);
  EdgeSum sum;
  for (int channel = 0; channel < channels; ++channel) {
    const std::vector<int> order =
        one_host ? layout.hosts.front() : ring_order(layout, channel, channels);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const int from = order[i], to = order[(i + 1) % order.size()];
      const Share share = share_of(kind, n, from, to);
      sum.add(from, to, share.added / channels, Effect::reduce);
      sum.add(from, to, share.kept / channels, Effect::copy);
    }
  }
  return sum.phase(kind, ring_steps(kind, n));
}

}  // namespace quintet
