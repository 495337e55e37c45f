#include "sim/ccl/tuner.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "sim/ccl/tuner_tables.h"

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

template <class Enum>
constexpr std::size_t index(Enum value) {
  return static_cast<std::size_t>(value);
}

// One cell of the table: what the formulas below are functions of.
struct Cell {
  const TunerTables& tables;
  const CommunicatorShape& shape;
  CollectiveKind kind;
  Algorithm algorithm;
  Protocol protocol;

  double per_node() const { return static_cast<double>(shape.ranks) / shape.nodes; }
  bool all_reduce() const { return kind == CollectiveKind::all_reduce; }
  bool gathers_or_scatters() const {
    return kind == CollectiveKind::all_gather || kind == CollectiveKind::reduce_scatter;
  }
  bool collnet() const {
    return algorithm == Algorithm::collnet_direct || algorithm == Algorithm::collnet_chain;
  }
  double of(const LatencyTable& table) const { return table[index(algorithm)][index(protocol)]; }
  double of(const CapTable& table) const {
    return table[index(shape.generation)][index_of_scale()];
  }
  std::size_t index_of_scale() const {
    return static_cast<std::size_t>(std::min(shape.nodes, 3) - 1);
  }
};

constexpr double gigabytes_per_second(Bandwidth rate) {
  return rate.value * 1e-9;
}
int log2_floor(int value) {
  return std::bit_width(static_cast<unsigned>(value)) - 1;
}

// CollNet's own graphs are not part of a shape: the chain's is the tree's, the direct one's that of
// NVLS where there is one (both give every GPU one channel).
const ChannelGraph& graph_of(const Cell& cell) {
  switch (cell.algorithm) {
    case Algorithm::ring:
      return cell.shape.ring;
    case Algorithm::nvls:
    case Algorithm::nvls_tree:
      return cell.shape.nvls;
    case Algorithm::collnet_direct:
      return cell.shape.nvls.channels > 0 ? cell.shape.nvls : cell.shape.tree;
    case Algorithm::tree:
    case Algorithm::collnet_chain:
      return cell.shape.tree;
    case Algorithm::pat:
      return cell.shape.ring;
    case Algorithm::halving_doubling:
    case Algorithm::direct:
    case Algorithm::hierarchical:
      break;
  }
  assert(false);
  return cell.shape.ring;
}

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
      return index(algorithm) < tuner_algorithms && algorithm != Algorithm::pat;
    case CollectiveKind::all_to_all:
      return false;
  }
  assert(false);
  return false;
}

bool speaks(const Cell& cell) {
  const bool all_protocols = cell.algorithm == Algorithm::tree || cell.algorithm == Algorithm::ring;
  if (!all_protocols) return cell.protocol == Protocol::simple;
  return cell.protocol != Protocol::ll128 ||
         (cell.shape.ll128 && cell.shape.link == LocalLink::nvlink);
}

// On several nodes a head of each channel must own a NIC of its own to gather or scatter.
bool one_head_per_rank(const Cell& cell) {
  return !cell.gathers_or_scatters() || cell.per_node() <= graph_of(cell).channels;
}

bool machine_can(const Cell& cell) {
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

bool allowed(const Cell& cell) {
  return serves(cell.algorithm, cell.kind) && speaks(cell) && machine_can(cell);
}

double ll_total(const Cell& cell) {
  const std::size_t row = cell.shape.nodes == 1            ? index(cell.shape.generation)
                          : cell.shape.cpu == HostCpu::amd ? std::size_t{1}
                                                           : std::size_t{0};
  return cell.tables.ll_total[row][cell.index_of_scale()];
}

double ring_bus_bandwidth(const Cell& cell, double bus) {
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

double tree_protocol_bandwidth(const Cell& cell, double capped) {
  const double ll128_share = cell.shape.nodes == 1 ? 7.0 / 9.0 : 120.0 / 128.0;
  switch (cell.protocol) {
    case Protocol::ll:
      return std::min(capped / 3.8, ll_total(cell));
    case Protocol::ll128:
      return std::min(capped * ll128_share,
                      cell.shape.tree.channels * cell.of(cell.tables.tree_ll128));
    case Protocol::simple:
      return capped;
  }
  assert(false);
  return capped;
}

double tree_bus_bandwidth(const Cell& cell, double bus) {
  const double capped = std::min(0.92 * bus, cell.shape.tree.channels * cell.of(cell.tables.tree));
  return tree_protocol_bandwidth(cell, capped) * (cell.shape.one_nic_owner ? 0.85 : 1.0);
}

double nvls_bus_bandwidth(const Cell& cell) {
  const ChannelGraph& graph = cell.shape.nvls;
  const bool tree = cell.algorithm == Algorithm::nvls_tree;
  double intra = gigabytes_per_second(graph.intra) *
                 cell.tables.nvls_efficiency[index(cell.shape.generation)] * (graph.channels - 1) /
                 graph.channels;
  intra *= cell.all_reduce() ? 2.0 : (cell.per_node() - 1) / cell.per_node();
  double inter = gigabytes_per_second(graph.inter);
  if (tree && cell.shape.nodes <= 2) inter *= 2.0;
  double each = std::min(intra, inter);
  if (tree) each = std::min(each, cell.of(cell.tables.nvls_tree));
  return graph.channels * each;
}

double collnet_direct_bus_bandwidth(const Cell& cell, double bus) {
  const ChannelGraph& graph = graph_of(cell);
  if (cell.gathers_or_scatters())
    return cell.per_node() *
           std::min(gigabytes_per_second(graph.intra), 0.9 * gigabytes_per_second(graph.inter));
  const double gpus_per_nic = cell.per_node() / graph.channels;
  const double shared = gpus_per_nic - (gpus_per_nic - 1) / 2;
  return bus / shared * (cell.shape.generation >= GpuGeneration::hopper ? 0.85 : 1.0);
}

double bus_bandwidth(const Cell& cell) {
  const ChannelGraph& graph = graph_of(cell);
  const bool intra_speed = cell.shape.nodes <= 2 || cell.collnet();
  const double bus = graph.channels * gigabytes_per_second(intra_speed ? graph.intra : graph.inter);
  switch (cell.algorithm) {
    case Algorithm::tree:
      return tree_bus_bandwidth(cell, bus);
    case Algorithm::ring:
      return ring_bus_bandwidth(cell, bus);
    case Algorithm::collnet_direct:
      return collnet_direct_bus_bandwidth(cell, bus);
    case Algorithm::collnet_chain:
      return bus;
    case Algorithm::nvls:
    case Algorithm::nvls_tree:
      return nvls_bus_bandwidth(cell);
    case Algorithm::pat:
      return 0.75 * bus;
    case Algorithm::halving_doubling:
    case Algorithm::direct:
    case Algorithm::hierarchical:
      break;
  }
  assert(false);
  return bus;
}

int steps(const Cell& cell) {
  if (cell.all_reduce()) return 2 * (cell.shape.ranks - 1);
  return cell.gathers_or_scatters() ? cell.shape.ranks - 1 : cell.shape.ranks;
}

double algorithm_bandwidth(const Cell& cell) {
  const double bus = bus_bandwidth(cell);
  if (cell.gathers_or_scatters() && cell.algorithm != Algorithm::ring) return bus;
  const bool by_steps = cell.algorithm == Algorithm::ring || cell.algorithm == Algorithm::nvls ||
                        cell.algorithm == Algorithm::nvls_tree;
  return by_steps ? bus * cell.shape.ranks / steps(cell) : 0.5 * bus;
}

const LatencyTable& local_latencies(const Cell& cell) {
  return cell.shape.link == LocalLink::nvlink ? cell.tables.nvlink_latency
                                              : cell.tables.pcie_latency;
}

// The network plug-in's own latency is 0 for InfiniBand and sockets.
double network_step(const Cell& cell) {
  const bool one_per_node = cell.shape.ranks == cell.shape.nodes;
  const Algorithm row = one_per_node ? Algorithm::tree : cell.algorithm;
  return cell.tables.network_latency[index(row)][index(cell.protocol)];
}

// What the host's proxy needs to post a message.
double posting_overhead(const Cell& cell) {
  if (cell.shape.nodes == 1) return 0.0;
  const double once = cell.shape.cpu == HostCpu::amd ? 2.0 : 1.0;
  return cell.protocol == Protocol::simple ? 3.0 * once : once;
}

double rooted_ring_latency(const Cell& cell) {
  const LatencyTable& table =
      cell.shape.nodes == 1 ? local_latencies(cell) : cell.tables.network_latency;
  if (cell.shape.same_channels) return cell.of(table);
  const Algorithm row = cell.protocol == Protocol::simple ? Algorithm::tree : Algorithm::ring;
  return steps(cell) * table[index(row)][index(cell.protocol)];
}

double ring_latency(const Cell& cell) {
  if (!cell.all_reduce() && !cell.gathers_or_scatters()) return rooted_ring_latency(cell);
  const int across = (cell.all_reduce() ? 2 : 1) * (cell.shape.nodes - 1);
  const double local = std::max(cell.of(local_latencies(cell)), posting_overhead(cell));
  return (steps(cell) - across) * local + across * network_step(cell);
}

double added_latency(const Cell& cell) {
  const double local = cell.of(local_latencies(cell));
  const double network = network_step(cell);
  const double others = cell.per_node() - 1;
  const int depth = log2_floor(cell.shape.nodes);
  switch (cell.algorithm) {
    case Algorithm::tree:
      return 2 * (others * local + depth * network);
    case Algorithm::ring:
      return ring_latency(cell);
    case Algorithm::collnet_direct:
      return 2 * (std::min(1.0, others) * local + others * 0.4) + network;
    case Algorithm::collnet_chain:
      return 2 * others * local + network;
    case Algorithm::nvls:
      return local + (cell.shape.nodes > 1 ? network : 0.0);
    case Algorithm::nvls_tree:
      return local + 2 * depth * network;
    case Algorithm::pat:
      return depth * network / 3.5 + 2.8 * cell.shape.ranks;
    case Algorithm::halving_doubling:
    case Algorithm::direct:
    case Algorithm::hierarchical:
      break;
  }
  assert(false);
  return 0.0;
}

TunerEntry entry_of(const Cell& cell) {
  const double latency = cell.of(cell.tables.base_latency) + added_latency(cell);
  return {Seconds{latency * 1e-6}, Bandwidth{algorithm_bandwidth(cell) * 1e9}};
}

// Index of the size in the tree's correction: 64 B is 0, every doubling one more.
int correction_index(Bytes size) {
  const auto lines = static_cast<std::uint64_t>(size.value) / 64;
  return static_cast<int>(std::bit_width(lines)) - 1;
}

double bandwidth_correction(const Cell& cell, Bytes size) {
  const bool nvls_tree_corrected = cell.algorithm == Algorithm::nvls_tree &&
                                   cell.shape.generation == GpuGeneration::blackwell &&
                                   cell.shape.cpu != HostCpu::other;
  const int entries = cell.algorithm == Algorithm::tree ? cell.tables.tree_corrections
                      : nvls_tree_corrected             ? cell.tables.nvls_tree_corrections
                                                        : 0;
  const int at = correction_index(size);
  if (!cell.all_reduce() || at < 0 || at >= entries) return 1.0;
  return cell.tables.tree_correction[index(cell.protocol)][static_cast<std::size_t>(at)];
}

// The plateau of large messages on rings over several nodes.
double latency_correction(const Cell& cell, Bytes size) {
  const bool plateau = cell.algorithm == Algorithm::ring && cell.protocol == Protocol::simple &&
                       cell.all_reduce() && cell.shape.nodes > 1;
  const double pieces = static_cast<double>(communicator_channels(cell.shape)) * cell.shape.ranks;
  if (!plateau || size.value / pieces < 64.0) return 1.0;
  return cell.shape.generation < GpuGeneration::ampere ? 1.9 : 1.4;
}

int nvls_channels(const Cell& cell) {
  const bool blackwell = cell.shape.generation == GpuGeneration::blackwell;
  const int own = !blackwell ? 16 : cell.shape.nodes == 1 ? 24 : 32;
  const bool across = cell.algorithm == Algorithm::nvls && cell.shape.nodes > 1;
  return across ? std::min(own, communicator_channels(cell.shape)) : own;
}

// Bytes that make a channel worth starting: threads times the bytes each must have.
double channel_worth(const Cell& cell) {
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

int channels_used(const Cell& cell, Bytes size) {
  if (cell.algorithm == Algorithm::nvls || cell.algorithm == Algorithm::nvls_tree)
    return nvls_channels(cell);
  const int most = communicator_channels(cell.shape);
  return std::clamp(static_cast<int>(std::min(size.value / channel_worth(cell), 1e6)), 1, most);
}

TunerChoice choice_of(const Cell& cell, Bytes size, const CollectiveRule& rule) {
  const TunerEntry entry = entry_of(cell);
  TunerChoice choice{cell.algorithm, cell.protocol};
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
  const Cell cell{tuner_tables(version), shape, kind, algorithm, protocol};
  if (shape.ranks < 2 || !allowed(cell)) return std::nullopt;
  return entry_of(cell);
}

std::vector<TunerChoice> tuner_choices(TunerVersion version, CollectiveKind kind, Bytes size,
                                       const CommunicatorShape& shape, const CollectiveRule& rule) {
  if (shape.ranks < 2) return single_rank(kind, rule);
  std::vector<TunerChoice> choices;
  for (const Algorithm algorithm : own_algorithms) {
    for (const Protocol protocol : protocols) {
      const Cell cell{tuner_tables(version), shape, kind, algorithm, protocol};
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
