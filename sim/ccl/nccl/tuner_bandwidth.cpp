#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>

#include "sim/ccl/nccl/tuner_cell.h"

namespace quintet {

namespace {

double ll_total(const TunerCell& cell) {
  const std::size_t row = cell.shape.nodes == 1            ? table_index(cell.shape.generation)
                          : cell.shape.cpu == HostCpu::amd ? std::size_t{1}
                                                           : std::size_t{0};
  return cell.tables.ll_total[row][cell.index_of_scale()];
}

double ring_bus_bandwidth(const TunerCell& cell, double bus) {
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

double tree_protocol_bandwidth(const TunerCell& cell, double capped) {
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

double tree_bus_bandwidth(const TunerCell& cell, double bus) {
  const double capped = std::min(0.92 * bus, cell.shape.tree.channels * cell.of(cell.tables.tree));
  return tree_protocol_bandwidth(cell, capped) * (cell.shape.one_nic_owner ? 0.85 : 1.0);
}

double nvls_bus_bandwidth(const TunerCell& cell) {
  const ChannelGraph& graph = cell.shape.nvls;
  const bool tree = cell.algorithm == Algorithm::nvls_tree;
  double intra = gigabytes_per_second(graph.intra) *
                 cell.tables.nvls_efficiency[table_index(cell.shape.generation)] *
                 (graph.channels - 1) / graph.channels;
  intra *= cell.all_reduce() ? 2.0 : (cell.per_node() - 1) / cell.per_node();
  double inter = gigabytes_per_second(graph.inter);
  if (tree && cell.shape.nodes <= 2) inter *= 2.0;
  double each = std::min(intra, inter);
  if (tree) each = std::min(each, cell.of(cell.tables.nvls_tree));
  return graph.channels * each;
}

double collnet_direct_bus_bandwidth(const TunerCell& cell, double bus) {
  const ChannelGraph& graph = cell_graph(cell);
  if (cell.gathers_or_scatters())
    return cell.per_node() *
           std::min(gigabytes_per_second(graph.intra), 0.9 * gigabytes_per_second(graph.inter));
  const double gpus_per_nic = cell.per_node() / graph.channels;
  const double shared = gpus_per_nic - (gpus_per_nic - 1) / 2;
  return bus / shared * (cell.shape.generation >= GpuGeneration::hopper ? 0.85 : 1.0);
}

double bus_bandwidth(const TunerCell& cell) {
  const ChannelGraph& graph = cell_graph(cell);
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

// Index of the size in the tree's correction: 64 B is 0, every doubling one more.
int correction_index(Bytes size) {
  const auto lines = static_cast<std::uint64_t>(size.value) / 64;
  return static_cast<int>(std::bit_width(lines)) - 1;
}

}  // namespace

// CollNet's own graphs are not part of a shape: the chain's is the tree's, the direct one's that of
// NVLS where there is one (both give every GPU one channel).
const ChannelGraph& cell_graph(const TunerCell& cell) {
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

int tuner_steps(const TunerCell& cell) {
  if (cell.all_reduce()) return 2 * (cell.shape.ranks - 1);
  return cell.gathers_or_scatters() ? cell.shape.ranks - 1 : cell.shape.ranks;
}

double algorithm_bandwidth(const TunerCell& cell) {
  const double bus = bus_bandwidth(cell);
  if (cell.gathers_or_scatters() && cell.algorithm != Algorithm::ring) return bus;
  const bool by_steps = cell.algorithm == Algorithm::ring || cell.algorithm == Algorithm::nvls ||
                        cell.algorithm == Algorithm::nvls_tree;
  return by_steps ? bus * cell.shape.ranks / tuner_steps(cell) : 0.5 * bus;
}

double bandwidth_correction(const TunerCell& cell, Bytes size) {
  const bool nvls_tree_corrected = cell.algorithm == Algorithm::nvls_tree &&
                                   cell.shape.generation == GpuGeneration::blackwell &&
                                   cell.shape.cpu != HostCpu::other;
  const int entries = cell.algorithm == Algorithm::tree ? cell.tables.tree_corrections
                      : nvls_tree_corrected             ? cell.tables.nvls_tree_corrections
                                                        : 0;
  const int at = correction_index(size);
  if (!cell.all_reduce() || at < 0 || at >= entries) return 1.0;
  return cell.tables.tree_correction[table_index(cell.protocol)][static_cast<std::size_t>(at)];
}

}  // namespace quintet
