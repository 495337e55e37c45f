#include "sim/ccl/nccl/tuner_cell.h"

#include <bit>
#include <cassert>
#include <cstdint>

namespace quintet {

double graph_bandwidth(const TunerCell& cell, const ChannelGraph& graph) {
  return graph.channels * gigabytes_per_second(cell.shape.nodes <= 2 ? graph.intra : graph.inter);
}

int tuner_steps(const TunerCell& cell) {
  if (cell.all_reduce()) return 2 * (cell.shape.ranks - 1);
  return cell.gathers_or_scatters() ? cell.shape.ranks - 1 : cell.shape.ranks;
}

double bandwidth_by_steps(const TunerCell& cell, double bus) {
  return bus * cell.shape.ranks / tuner_steps(cell);
}

double ll_total(const TunerCell& cell) {
  const std::size_t row = cell.shape.nodes == 1            ? table_index(cell.shape.generation)
                          : cell.shape.cpu == HostCpu::amd ? std::size_t{1}
                                                           : std::size_t{0};
  return cell.tables.ll_total[row][cell.index_of_scale()];
}

double local_latency(const TunerCell& cell) {
  return cell.of(cell.shape.link == LocalLink::nvlink ? cell.tables.nvlink_latency
                                                      : cell.tables.pcie_latency);
}

// The network plug-in's own latency is 0 for InfiniBand and sockets.
double network_latency(const TunerCell& cell) {
  const bool one_per_node = cell.shape.ranks == cell.shape.nodes;
  const Algorithm row = one_per_node ? Algorithm::tree : cell.algorithm;
  return cell.tables.network_latency[table_index(row)][table_index(cell.protocol)];
}

int depth_over_nodes(const TunerCell& cell) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(cell.shape.nodes))) - 1;
}

int channels_worth(const TunerCell& cell, Bytes size, double worth) {
  const int most = communicator_channels(cell.shape);
  return std::clamp(static_cast<int>(std::min(size.value / worth, 1e6)), 1, most);
}

int usual_channels(const TunerCell& cell, Bytes size) {
  switch (cell.protocol) {
    case Protocol::ll:
      return channels_worth(cell, size, 512.0 * 8.0);
    case Protocol::ll128:
      return channels_worth(cell, size, 640.0 * 8.0);
    case Protocol::simple:
      return channels_worth(cell, size, 512.0 * 64.0);
  }
  assert(false);
  return 1;
}

int switch_channels(const TunerCell& cell) {
  const bool blackwell = cell.shape.generation == GpuGeneration::blackwell;
  return !blackwell ? 16 : cell.shape.nodes == 1 ? 24 : 32;
}

double nvls_intra(const TunerCell& cell) {
  const ChannelGraph& graph = cell.shape.nvls;
  double intra = gigabytes_per_second(graph.intra) *
                 cell.tables.nvls_efficiency[table_index(cell.shape.generation)] *
                 (graph.channels - 1) / graph.channels;
  intra *= cell.all_reduce() ? 2.0 : (cell.per_node() - 1) / cell.per_node();
  return intra;
}

bool one_head_per_rank(const TunerCell& cell, const ChannelGraph& graph) {
  return !cell.gathers_or_scatters() || cell.per_node() <= graph.channels;
}

// Entry 0 is 64 B, every doubling one more.
double tree_correction(const TunerCell& cell, Bytes size, int entries) {
  const auto lines = static_cast<std::uint64_t>(size.value) / 64;
  const int at = static_cast<int>(std::bit_width(lines)) - 1;
  if (at < 0 || at >= entries) return 1.0;
  return cell.tables.tree_correction[table_index(cell.protocol)][static_cast<std::size_t>(at)];
}

}  // namespace quintet
