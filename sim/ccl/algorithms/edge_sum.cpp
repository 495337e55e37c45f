#include "sim/ccl/algorithms/edge_sum.h"

#include <algorithm>
#include <cstddef>
#include <span>

#include "sim/base/rows.h"

namespace quintet {
namespace {

bool same_pair(const TrafficEdge& a, const TrafficEdge& b) {
  return a.from == b.from && a.to == b.to;
}

bool before(const TrafficEdge& a, const TrafficEdge& b) {
  return a.from != b.from ? a.from < b.from : a.to < b.to;
}

}  // namespace

void EdgeSum::add(int from, int to, double bytes_per_byte, Effect effect) {
  if (from != to && bytes_per_byte > 0.0) messages_.push_back({{from, to, bytes_per_byte}, effect});
}

double EdgeSum::busiest(Effect effect) const {
  std::vector<double> received;
  for (const Message& message : messages_) {
    if (message.effect != effect || message.edge.to < 0) continue;
    const auto at = static_cast<std::size_t>(message.edge.to);
    if (received.size() <= at) received.resize(at + 1, 0.0);
    received[at] += message.edge.bytes_per_byte;
  }
  const auto most = std::max_element(received.begin(), received.end());
  return most == received.end() ? 0.0 : *most;
}

// Dealt out to who sends them first, of which each has few: groups have thousands of members.
std::vector<TrafficEdge> EdgeSum::sorted() const {
  int first = 0, last = -1;  // switches and servers have numbers below 0
  for (const Message& message : messages_) {
    first = std::min(first, message.edge.from);
    last = std::max(last, message.edge.from);
  }
  const Rows<TrafficEdge> sent(static_cast<std::size_t>(last - first + 1), [&](const auto& put) {
    for (const Message& message : messages_)
      put(static_cast<std::size_t>(message.edge.from - first), message.edge);
  });
  std::vector<TrafficEdge> edges;
  edges.reserve(messages_.size());
  for (int from = first; from <= last; ++from) {
    const std::span<const TrafficEdge> own = sent[static_cast<std::size_t>(from - first)];
    const auto begin = edges.insert(edges.end(), own.begin(), own.end());
    if (!std::is_sorted(begin, edges.end(), before)) std::stable_sort(begin, edges.end(), before);
  }
  return edges;
}

TrafficPhase EdgeSum::phase(CollectiveKind kind, int steps) const {
  TrafficPhase phase{.kind = kind};
  for (const TrafficEdge& edge : sorted()) {
    if (!phase.edges.empty() && same_pair(phase.edges.back(), edge))
      phase.edges.back().bytes_per_byte += edge.bytes_per_byte;
    else
      phase.edges.push_back(edge);
  }
  phase.reduced_bytes_per_byte = busiest(Effect::reduce);
  phase.copied_bytes_per_byte = busiest(Effect::copy);
  phase.steps = phase.edges.empty() ? 0 : steps;
  return phase;
}

void add_through_network(EdgeSum& sum, CollectiveKind kind, int head, double share, int ranks) {
  const double own = 1.0 / ranks;
  const double sent = kind == CollectiveKind::all_gather ? own : share;
  const double received = kind == CollectiveKind::reduce_scatter ? own : share;
  const Effect up = kind == CollectiveKind::all_gather ? Effect::copy : Effect::reduce;
  sum.add(head, network_reducer, sent, up);
  sum.add(network_reducer, head, received, Effect::copy);
}

void add_rings_inside(EdgeSum& sum, const HostLayout& layout) {
  for (const std::vector<int>& members : layout.hosts) {
    const auto count = static_cast<double>(members.size());
    for (std::size_t i = 0; i < members.size(); ++i) {
      const int from = members[i], to = members[(i + 1) % members.size()];
      sum.add(from, to, (count - 1) / count, Effect::reduce);
      sum.add(from, to, (count - 1) / count, Effect::copy);
    }
  }
}

int switch_hops(CollectiveKind kind, const HostLayout& layout) {
  const int network = layout.hosts.size() > 1 ? 1 : 0;
  return network + (kind == CollectiveKind::all_reduce ? 2 : 1);
}

}  // namespace quintet
