// One cell of NCCL's cost table and the formulas of its entries (reference models.md 1.4, engine.md
// 3). Microseconds and GB/s inside, as NCCL keeps them.
#pragma once

#include <algorithm>
#include <cstddef>

#include "sim/ccl/nccl/tuner_tables.h"

namespace quintet {

template <class Enum>
constexpr std::size_t table_index(Enum value) {
  return static_cast<std::size_t>(value);
}

// What the formulas are functions of.
struct TunerCell {
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
  double of(const LatencyTable& table) const {
    return table[table_index(algorithm)][table_index(protocol)];
  }
  double of(const CapTable& table) const {
    return table[table_index(shape.generation)][index_of_scale()];
  }
  std::size_t index_of_scale() const {
    return static_cast<std::size_t>(std::min(shape.nodes, 3) - 1);
  }
};

constexpr double gigabytes_per_second(Bandwidth rate) {
  return rate.value * 1e-9;
}

const ChannelGraph& cell_graph(const TunerCell& cell);
int tuner_steps(const TunerCell& cell);             // of a ring
double algorithm_bandwidth(const TunerCell& cell);  // of allowed cells, before corrections
double cell_latency(const TunerCell& cell);
// Factors that depend on the size: on the tree's bandwidth, on the ring's latency.
double bandwidth_correction(const TunerCell& cell, Bytes size);
double latency_correction(const TunerCell& cell, Bytes size);

}  // namespace quintet
