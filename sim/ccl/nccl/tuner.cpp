#include "sim/ccl/nccl/tuner.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <limits>

#include "sim/ccl/nccl/tuner_cell.h"
#include "sim/ccl/nccl/tuner_tables.h"

namespace quintet {

namespace {

constexpr std::array own_algorithms{Algorithm::tree,
                                    Algorithm::ring,
                                    Algorithm::collnet_direct,
                                    Algorithm::collnet_chain,
                                    Algorithm::nvls,
                                    Algorithm::nvls_tree,
                                    Algorithm::pat};
constexpr std::array protocols{Protocol::ll, Protocol::ll128, Protocol::simple};
static_assert(own_algorithms.size() == tuner_algorithms && protocols.size() == tuner_protocols);
static_assert(static_cast<int>(Algorithm::pat) == tuner_algorithms - 1,
              "the tables are indexed by NCCL's order");

// Which algorithm may serve which function (models.md 1.1).
bool serves(Algorithm algorithm, CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::broadcast:
    case CollectiveKind::reduce:
      return algorithm == Algorithm::ring;
    case CollectiveKind::all_gather:
    case CollectiveKind::reduce_scatter:
      return algorithm == Algorithm::ring || algorithm == Algorithm::pat ||
             algorithm == Algorithm::nvls || algorithm == Algorithm::collnet_direct;
    case CollectiveKind::all_reduce:
      return table_index(algorithm) < tuner_algorithms && algorithm != Algorithm::pat;
    case CollectiveKind::all_to_all:
      return false;
  }
  assert(false);
  return false;
}

bool speaks(const TunerCell& cell) {
  const bool all_protocols = cell.algorithm == Algorithm::tree || cell.algorithm == Algorithm::ring;
  if (!all_protocols) return cell.protocol == Protocol::simple;
  return cell.protocol != Protocol::ll128 ||
         (cell.shape.ll128 && cell.shape.link == LocalLink::nvlink);
}

// On several nodes a head of each channel must own a NIC of its own to gather or scatter.
bool one_head_per_rank(const TunerCell& cell) {
  return !cell.gathers_or_scatters() || cell.per_node() <= cell_graph(cell).channels;
}

bool machine_can(const TunerCell& cell) {
  const CommunicatorShape& shape = cell.shape;
  const bool several_nodes = shape.nodes > 1;
  switch (cell.algorithm) {
    case Algorithm::tree:
    case Algorithm::ring:
      return true;
    case Algorithm::collnet_direct:
      return several_nodes && shape.in_network && shape.nvswitch && cell.per_node() <= 8 &&
             one_head_per_rank(cell);
    case Algorithm::collnet_chain:
      return several_nodes && shape.in_network && cell.per_node() <= 8;
    case Algorithm::nvls:
      return shape.nvls.channels >= 2 && (!several_nodes || shape.in_network) &&
             !(cell.gathers_or_scatters() && cell.per_node() > 32) &&
             (!several_nodes || one_head_per_rank(cell));
    case Algorithm::nvls_tree:
      return shape.nvls.channels >= 2 && several_nodes;
    case Algorithm::pat:
      return several_nodes && shape.nodes == shape.ranks;
    case Algorithm::halving_doubling:
    case Algorithm::direct:
    case Algorithm::hierarchical:
      return false;
  }
  assert(false);
  return false;
}

bool allowed(const TunerCell& cell) {
  return serves(cell.algorithm, cell.kind) && speaks(cell) && machine_can(cell);
}

TunerEntry entry_of(const TunerCell& cell) {
  return {Seconds{cell_latency(cell) * 1e-6}, Bandwidth{algorithm_bandwidth(cell) * 1e9}};
}

int nvls_channels(const TunerCell& cell) {
  const bool blackwell = cell.shape.generation == GpuGeneration::blackwell;
  const int own = !blackwell ? 16 : cell.shape.nodes == 1 ? 24 : 32;
  const bool across = cell.algorithm == Algorithm::nvls && cell.shape.nodes > 1;
  return across ? std::min(own, communicator_channels(cell.shape)) : own;
}

// Bytes that make a channel worth starting: threads times the bytes each must have.
double channel_worth(const TunerCell& cell) {
  const bool ring = cell.algorithm == Algorithm::ring;
  const ChannelGraph& graph = cell.shape.ring;
  const bool slow = ring && graph.channels * gigabytes_per_second(graph.intra) <= 12.0;
  switch (cell.protocol) {
    case Protocol::ll:
      return 512.0 * 8.0 * (ring ? cell.shape.ranks : 1);
    case Protocol::ll128:
      return 640.0 * 8.0;
    case Protocol::simple:
      return (slow ? 256.0 : 512.0) * 64.0;
  }
  assert(false);
  return 1.0;
}

int channels_used(const TunerCell& cell, Bytes size) {
  if (cell.algorithm == Algorithm::nvls || cell.algorithm == Algorithm::nvls_tree)
    return nvls_channels(cell);
  const int most = communicator_channels(cell.shape);
  return std::clamp(static_cast<int>(std::min(size.value / channel_worth(cell), 1e6)), 1, most);
}

TunerChoice choice_of(const TunerCell& cell, Bytes size, const CollectiveRule& rule) {
  const TunerEntry entry = entry_of(cell);
  TunerChoice choice{.algorithm = cell.algorithm, .protocol = cell.protocol};
  choice.channels = rule.channels ? *rule.channels : channels_used(cell, size);
  choice.latency = entry.latency * latency_correction(cell, size);
  choice.bandwidth = entry.bandwidth * bandwidth_correction(cell, size);
  choice.time = choice.latency + size / choice.bandwidth;
  return choice;
}

bool narrowed_to(const CollectiveRule& rule, Algorithm algorithm, Protocol protocol) {
  return rule.algorithm.value_or(algorithm) == algorithm &&
         rule.protocol.value_or(protocol) == protocol;
}

// A single rank copies: NCCL prices it as nothing.
std::vector<TunerChoice> single_rank(CollectiveKind kind, const CollectiveRule& rule) {
  if (kind == CollectiveKind::all_to_all ||
      rule.algorithm.value_or(Algorithm::ring) != Algorithm::ring)
    return {};
  return {{.algorithm = Algorithm::ring,
           .protocol = rule.protocol.value_or(Protocol::simple),
           .channels = rule.channels.value_or(1),
           .bandwidth = {std::numeric_limits<double>::infinity()}}};
}

}  // namespace

int communicator_channels(const CommunicatorShape& shape) {
  constexpr int most = 64;
  const int doubled = std::min(most, 2 * shape.ring.channels);
  const bool again = shape.generation >= GpuGeneration::hopper && shape.nodes > 1 &&
                     gigabytes_per_second(shape.ring.intra) > 45.0 && doubled < 16;
  return std::max(1, again ? 2 * doubled : doubled);
}

std::optional<TunerEntry> tuner_entry(TunerVersion version, CollectiveKind kind,
                                      Algorithm algorithm, Protocol protocol,
                                      const CommunicatorShape& shape) {
  const TunerCell cell{tuner_tables(version), shape, kind, algorithm, protocol};
  if (shape.ranks < 2 || !allowed(cell)) return std::nullopt;
  return entry_of(cell);
}

std::vector<TunerChoice> tuner_choices(TunerVersion version, CollectiveKind kind, Bytes size,
                                       const CommunicatorShape& shape, const CollectiveRule& rule) {
  if (shape.ranks < 2) return single_rank(kind, rule);
  std::vector<TunerChoice> choices;
  for (const Algorithm algorithm : own_algorithms) {
    for (const Protocol protocol : protocols) {
      const TunerCell cell{tuner_tables(version), shape, kind, algorithm, protocol};
      if (narrowed_to(rule, algorithm, protocol) && allowed(cell))
        choices.push_back(choice_of(cell, size, rule));
    }
  }
  return choices;
}

std::optional<TunerChoice> choose(TunerVersion version, CollectiveKind kind, Bytes size,
                                  const CommunicatorShape& shape, const CollectiveRule& rule) {
  const std::vector<TunerChoice> choices = tuner_choices(version, kind, size, shape, rule);
  const auto best =
      std::min_element(choices.begin(), choices.end(),
                       [](const TunerChoice& a, const TunerChoice& b) { return a.time < b.time; });
  if (best == choices.end()) return std::nullopt;
  return *best;
}

}  // namespace quintet
