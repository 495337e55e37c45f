// One cell of NCCL's cost table and what the formulas of several algorithms share
// (src/graph/tuning.cc). Microseconds and GB/s inside, as NCCL keeps them.
#pragma once

#include <algorithm>
#include <cstddef>

#include "sim/ccl/nccl/tuner_tables.h"
#include "sim/ccl/traffic.h"

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

// What NCCL's cost model says of one algorithm. A cell has the algorithm's own name in it.
struct NcclCost {
  enum class Protocols { all, simple_alone };
  Protocols protocols = Protocols::simple_alone;
  HostsNeeded hosts = any_hosts;
  bool (*possible)(const TunerCell& cell);        // on this machine
  double (*bandwidth)(const TunerCell& cell);     // of the algorithm; of possible cells
  double (*latency)(const TunerCell& cell);       // beyond the table's base
  int (*channels)(const TunerCell& cell, Bytes);  // that a collective of this size takes
  // Factors that depend on the size.
  double (*bandwidth_correction)(const TunerCell& cell, Bytes) = nullptr;
  double (*latency_correction)(const TunerCell& cell, Bytes) = nullptr;
};

// All channels of a graph: inside nodes where there are at most two, else between them.
double graph_bandwidth(const TunerCell& cell, const ChannelGraph& graph);
// A ring's steps, and the bandwidth of algorithms whose bus carries each byte once per step of it.
int tuner_steps(const TunerCell& cell);
double bandwidth_by_steps(const TunerCell& cell, double bus);
double ll_total(const TunerCell& cell);  // the cap of LL, all channels together

// Microseconds a step, inside a node and between nodes.
double local_latency(const TunerCell& cell);
double network_latency(const TunerCell& cell);
int depth_over_nodes(const TunerCell& cell);  // of a binary tree

// As many as have `worth` bytes each.
int channels_worth(const TunerCell& cell, Bytes size, double worth);
// For algorithms with 512 threads and no more than usual to do.
int usual_channels(const TunerCell& cell, Bytes size);
// NVLS takes a fixed number.
int switch_channels(const TunerCell& cell);
double nvls_intra(const TunerCell& cell);  // of a channel inside a node, through the switch
// On several nodes a head of each channel must own a NIC of its own to gather or scatter.
bool one_head_per_rank(const TunerCell& cell, const ChannelGraph& graph);
// The part of a tree's bandwidth that it reaches at this size; from the first `entries`.
double tree_correction(const TunerCell& cell, Bytes size, int entries);

}  // namespace quintet
