// The constants of NCCL's cost model, one value per version: data only, so that a version is added
// by adding rows. Units as NCCL keeps them: microseconds and GB/s (1e9). Facts from
// src/graph/tuning.cc of 2.28.9 and 2.30.7, restated, not copied.
#pragma once

#include <array>

#include "sim/base/units.h"
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

// The constants of a version; they live as long as the program.
const TunerTables& tuner_tables(TunerVersion version);

// Where messages go that NCCL's tuner is not asked about: sends and receives, and algorithms that
// it does not have. What they take beside their bytes follows.
enum class Reach { inside_host, between_hosts };

// The latency of a ring's step by the Simple protocol (NCCL src/graph/tuning.cc).
Seconds step_latency(TunerVersion version, Reach reach);
// The latency of a send and its receive.
Seconds message_latency(TunerVersion version, Reach reach);

// That NCCL gives to a peer over NVLink or the network.
inline constexpr int channels_per_peer = 2;

// NCCL's network latencies stand for a fabric of a few microseconds: what a path of `latency` has
// beyond it. `factor`: what the machine's latencies are of NCCL's.
Seconds beyond_usual(Seconds latency, double factor);

}  // namespace quintet
