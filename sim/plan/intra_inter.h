// Layer 3, decisions: what stays inside a host and what leaves it.
#pragma once

#include <string_view>
#include <vector>

#include "sim/plan/parallelism.h"

namespace quintet {

enum class Decomposition {
  flat,  // one collective over the whole group (NCCL's channels still use NVLink inside hosts)
  hierarchical,  // separate phases inside and across hosts
};

enum class Forwarding {
  none,
  same_rail,  // PXN: over NVLink to the GPU whose NIC is on the destination's rail, then out
};

struct AxisDecomposition {
  Axis axis = Axis::data;
  Decomposition decomposition = Decomposition::flat;
  bool operator==(const AxisDecomposition&) const = default;
};

struct IntraInter {
  std::vector<AxisDecomposition> decompositions;  // axes not listed: flat
  Forwarding forwarding = Forwarding::same_rail;
  std::vector<int> placement;  // rank slot of each rank; empty: rank i in slot i
  bool operator==(const IntraInter&) const = default;
};

// The word of plan.json.
std::string_view name_of(Decomposition decomposition);
std::string_view name_of(Forwarding forwarding);

// Flat where the plan does not say.
Decomposition decomposition_of(const IntraInter& intra_inter, Axis axis);

}  // namespace quintet
