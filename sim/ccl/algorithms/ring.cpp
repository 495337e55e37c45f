// ring: every rank passes on to its neighbour what it received last; n - 1 steps to scatter sums,
// n - 1 to gather them. broadcast and reduce are the chain that the ring becomes when cut at the
// root, in n chunks one behind the other.
//
//      0 -> 1 -> 2 -> 3       step s of a reduce-scatter: rank r sends chunk r - 1 - s,
//      ^______________|       so that chunk r ends on rank r
//
// Terms of chunk r are added r + 1 + (r + 2) + ... + r: neighbouring elements differ in order. A
// reduce adds 1 + 2 + ... + root.
#include <algorithm>
#include <cassert>
#include <cstddef>

#include "sim/ccl/algorithms/channels.h"
#include "sim/ccl/algorithms/collective_algorithm.h"

namespace quintet {

namespace {

int wrap(int value, int ranks) {
  return (value % ranks + ranks) % ranks;
}

// In step s rank r passes on the chunk it completed last: r - 1 - s, so that chunk r ends on rank
// r.
void scatter_around(Schedule& schedule) {
  const int n = schedule.ranks;
  for (int step = 0; step < n - 1; ++step, ++schedule.steps)
    for (int rank = 0; rank < n; ++rank)
      schedule.transfers.push_back(
          {schedule.steps, rank, wrap(rank + 1, n), wrap(rank - 1 - step, n), Effect::reduce});
}

void gather_around(Schedule& schedule) {
  const int n = schedule.ranks;
  for (int step = 0; step < n - 1; ++step, ++schedule.steps)
    for (int rank = 0; rank < n; ++rank)
      schedule.transfers.push_back(
          {schedule.steps, rank, wrap(rank + 1, n), wrap(rank - step, n), Effect::copy});
}

// The chain first -> first + 1 -> ... over n - 1 edges, chunk after chunk.
void pass_along(Schedule& schedule, int first, Effect effect) {
  const int n = schedule.ranks;
  const int edges = n - 1;
  schedule.steps = n > 1 ? edges - 1 + schedule.chunks : 0;
  for (int step = 0; step < schedule.steps; ++step) {
    for (int edge = 0; edge < edges; ++edge) {
      const int chunk = step - edge;
      if (chunk < 0 || chunk >= schedule.chunks) continue;
      schedule.transfers.push_back(
          {step, wrap(first + edge, n), wrap(first + edge + 1, n), chunk, effect});
    }
  }
}

struct Crossing {
  int enter = 0, leave = 0;  // local indices
};

// Where channel `channel` of `channels` enters and leaves host `host` (channels.h).
Crossing crossing_of(const HostLayout& layout, int channel, int channels, std::size_t host) {
  const int members = static_cast<int>(layout.hosts[host].size());
  const int own = port_of(layout, host, channel, channels);
  const int partner = channel ^ 1;
  if (partner >= channels) return {own, (own + members - 1) % members};
  const int other = port_of(layout, host, partner, channels);
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
  for (std::size_t host = 0; host < layout.hosts.size(); ++host)
    append_host(order, layout.hosts[host], crossing_of(layout, channel, channels, host));
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

std::vector<TrafficPhase> ring_traffic(CollectiveKind kind, const HostLayout& layout) {
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
  return {sum.phase(kind, ring_steps(kind, n))};
}

double bus_bandwidth(const TunerCell& cell) {
  const double bus = graph_bandwidth(cell, cell.shape.ring);
  switch (cell.protocol) {
    case Protocol::ll:
      return std::min(ll_total(cell), 0.5 * bus);
    case Protocol::ll128:
      return std::min(0.92 * bus, cell.shape.ring.channels * cell.of(cell.tables.ring_ll128));
    case Protocol::simple:
      return bus;
  }
  assert(false);
  return bus;
}

// What the host's proxy needs to post a message.
double posting_overhead(const TunerCell& cell) {
  if (cell.shape.nodes == 1) return 0.0;
  const double once = cell.shape.cpu == HostCpu::amd ? 2.0 : 1.0;
  return cell.protocol == Protocol::simple ? 3.0 * once : once;
}

double rooted_latency(const TunerCell& cell) {
  const bool nvlink = cell.shape.link == LocalLink::nvlink;
  const LatencyTable& local = nvlink ? cell.tables.nvlink_latency : cell.tables.pcie_latency;
  const LatencyTable& table = cell.shape.nodes == 1 ? local : cell.tables.network_latency;
  if (cell.shape.same_channels) return cell.of(table);
  const Algorithm row = cell.protocol == Protocol::simple ? Algorithm::tree : Algorithm::ring;
  return tuner_steps(cell) * table[table_index(row)][table_index(cell.protocol)];
}

double latency(const TunerCell& cell) {
  if (!cell.all_reduce() && !cell.gathers_or_scatters()) return rooted_latency(cell);
  const int across = (cell.all_reduce() ? 2 : 1) * (cell.shape.nodes - 1);
  const double local = std::max(local_latency(cell), posting_overhead(cell));
  return (tuner_steps(cell) - across) * local + across * network_latency(cell);
}

// The plateau of large messages over several nodes.
double latency_correction(const TunerCell& cell, Bytes size) {
  const bool plateau =
      cell.protocol == Protocol::simple && cell.all_reduce() && cell.shape.nodes > 1;
  const double pieces = static_cast<double>(communicator_channels(cell.shape)) * cell.shape.ranks;
  if (!plateau || size.value / pieces < 64.0) return 1.0;
  return cell.shape.generation < GpuGeneration::ampere ? 1.9 : 1.4;
}

int channels(const TunerCell& cell, Bytes size) {
  const ChannelGraph& graph = cell.shape.ring;
  const bool slow = graph.channels * gigabytes_per_second(graph.intra) <= 12.0;
  if (cell.protocol == Protocol::ll)
    return channels_worth(cell, size, 512.0 * 8.0 * cell.shape.ranks);
  if (cell.protocol == Protocol::simple && slow) return channels_worth(cell, size, 256.0 * 64.0);
  return usual_channels(cell, size);
}

constexpr NcclCost cost{
    .protocols = NcclCost::Protocols::all,
    .possible = [](const TunerCell&) { return true; },
    .bandwidth =
        [](const TunerCell& cell) { return bandwidth_by_steps(cell, bus_bandwidth(cell)); },
    .latency = latency,
    .channels = channels,
    .latency_correction = latency_correction,
};

constexpr Kinds kinds{CollectiveKind::all_reduce, CollectiveKind::reduce_scatter,
                      CollectiveKind::all_gather, CollectiveKind::broadcast,
                      CollectiveKind::reduce};

}  // namespace

Schedule ring_schedule(CollectiveKind kind, int ranks) {
  assert(ranks >= 1 && kind != CollectiveKind::all_to_all);
  Schedule schedule{.kind = kind, .ranks = ranks, .chunks = ranks};
  switch (kind) {
    case CollectiveKind::all_reduce:
      scatter_around(schedule);
      gather_around(schedule);
      break;
    case CollectiveKind::reduce_scatter:
      scatter_around(schedule);
      break;
    case CollectiveKind::all_gather:
      gather_around(schedule);
      break;
    case CollectiveKind::broadcast:
      pass_along(schedule, 0, Effect::copy);
      break;
    case CollectiveKind::reduce:
      pass_along(schedule, 1, Effect::reduce);
      break;
    case CollectiveKind::all_to_all:
      break;
  }
  return schedule;
}

extern constinit const CollectiveAlgorithm ring_row{
    .algorithm = Algorithm::ring,
    .kinds = kinds,
    .edges = CollectiveAlgorithm::Edges::one_each_step,
    .executed = kinds,
    .schedule =
        [](const ScheduledGroup& group) {
          return in_order(ring_schedule(group.kind, group.ranks()), group);
        },
    .traffic = ring_traffic,
    .nccl = &cost,
};

}  // namespace quintet
