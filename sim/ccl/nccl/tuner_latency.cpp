#include <algorithm>
#include <bit>
#include <cassert>

#include "sim/ccl/nccl/tuner_cell.h"

namespace quintet {

namespace {

int log2_floor(int value) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(value))) - 1;
}

const LatencyTable& local_latencies(const TunerCell& cell) {
  return cell.shape.link == LocalLink::nvlink ? cell.tables.nvlink_latency
                                              : cell.tables.pcie_latency;
}

// The network plug-in's own latency is 0 for InfiniBand and sockets.
double network_step(const TunerCell& cell) {
  const bool one_per_node = cell.shape.ranks == cell.shape.nodes;
  const Algorithm row = one_per_node ? Algorithm::tree : cell.algorithm;
  return cell.tables.network_latency[table_index(row)][table_index(cell.protocol)];
}

// What the host's proxy needs to post a message.
double posting_overhead(const TunerCell& cell) {
  if (cell.shape.nodes == 1) return 0.0;
  const double once = cell.shape.cpu == HostCpu::amd ? 2.0 : 1.0;
  return cell.protocol == Protocol::simple ? 3.0 * once : once;
}

double rooted_ring_latency(const TunerCell& cell) {
  const LatencyTable& table =
      cell.shape.nodes == 1 ? local_latencies(cell) : cell.tables.network_latency;
  if (cell.shape.same_channels) return cell.of(table);
  const Algorithm row = cell.protocol == Protocol::simple ? Algorithm::tree : Algorithm::ring;
  return tuner_steps(cell) * table[table_index(row)][table_index(cell.protocol)];
}

double ring_latency(const TunerCell& cell) {
  if (!cell.all_reduce() && !cell.gathers_or_scatters()) return rooted_ring_latency(cell);
  const int across = (cell.all_reduce() ? 2 : 1) * (cell.shape.nodes - 1);
  const double local = std::max(cell.of(local_latencies(cell)), posting_overhead(cell));
  return (tuner_steps(cell) - across) * local + across * network_step(cell);
}

double added_latency(const TunerCell& cell) {
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

}  // namespace

double cell_latency(const TunerCell& cell) {
  return cell.of(cell.tables.base_latency) + added_latency(cell);
}

// The plateau of large messages on rings over several nodes.
double latency_correction(const TunerCell& cell, Bytes size) {
  const bool plateau = cell.algorithm == Algorithm::ring && cell.protocol == Protocol::simple &&
                       cell.all_reduce() && cell.shape.nodes > 1;
  const double pieces = static_cast<double>(communicator_channels(cell.shape)) * cell.shape.ranks;
  if (!plateau || size.value / pieces < 64.0) return 1.0;
  return cell.shape.generation < GpuGeneration::ampere ? 1.9 : 1.4;
}

}  // namespace quintet
