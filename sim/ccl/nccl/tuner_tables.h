// The constants of NCCL's cost model, one value per version: data only, so that a version is added
// by adding rows. Units as NCCL keeps them: microseconds and GB/s (1e9). Facts from
// src/graph/tuning.cc of 2.28.9 and 2.30.7, restated, not copied.
#pragma once

#include <array>

#include "sim/ccl/nccl/communicator_shape.h"
#include "sim/plan/ccl.h"

namespace quintet {

inline constexpr int tuner_algorithms = nccl_algorithm_count;
inline constexpr int tuner_protocols = 3;  // ll, ll128, simple
inline constexpr int tuner_generations = 4;
inline constexpr int tuner_scales = 3;  // 1 node, 2 nodes, more

using LatencyTable = std::array<std::array<double, tuner_protocols>, tuner_algorithms>;
using CapTable = std::array<std::array<double, tuner_scales>, tuner_generations>;

struct TunerTables {
  LatencyTable base_latency;
  LatencyTable nvlink_latency, pcie_latency, network_latency;  // per step
  CapTable ll_total;  // several nodes: row 0 unless the CPU is AMD, then row 1, whatever the GPU
  CapTable ring_ll128, tree_ll128, tree, nvls_tree;  // per channel
  std::array<double, tuner_generations> nvls_efficiency;
  // Share of the tree's bandwidth reached at size 64 B * 2^i.
  std::array<std::array<double, 24>, tuner_protocols> tree_correction;
  int tree_corrections;       // entries that apply to the tree
  int nvls_tree_corrections;  // entries that apply to the NVLS tree on Blackwell with an x86 host
};

const TunerTables& tuner_tables(TunerVersion version);

}  // namespace quintet
