// What layers 2 to 5 may be, which depends on little of layer 1. Pure.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "sim/model/model.h"
#include "sim/search/space.h"
#include "sim/topology/topology.h"

namespace quintet {

// Indices of each part's combinations, ascending.
struct InnerLists {
  std::vector<std::uint32_t> fabric, intra_inter, ccl;
  std::uint64_t size() const {
    return std::uint64_t{fabric.size()} * intra_inter.size() * ccl.size();
  }
};

// All of layer 1 that the rows of layers 2 to 5 (SearchField::matters) and what is said of them
// (sim/plan/problems) look at: equal kinds have equal lists on one machine.
struct InnerKind {
  bool tensors = false, replicas = false, stages = false;  // more than one
  int model_ranks = 1;                                     // that a bucket's gradients are cut over
  int micro_batches = 1;                                   // where delegates deal them; else 1 or 2
  Sharding sharding = Sharding::none;
  Clipping clipping = Clipping::none;
  DataType compute_type = DataType::bf16, gradient_type = DataType::fp32;
  auto operator<=>(const InnerKind&) const = default;
  static InnerKind of(const Space& space, const Draft& layer1);
};

// `layer1` is a draft with layer 1's decisions.
InnerLists inner_lists(const Space& space, const Model& model, const Topology& topology,
                       const Draft& layer1);

}  // namespace quintet
