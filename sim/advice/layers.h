// Plans that differ in one of their decisions. Pure.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/result.h"
#include "sim/plan/plan.h"
#include "sim/plan/plan_difference.h"

namespace quintet {

// In the order in which a byte meets them.
enum class Layer { parallelism, ccl, intra_inter, host_net, network };
inline constexpr int layer_count = 5;
inline constexpr std::array all_layers{Layer::parallelism, Layer::ccl, Layer::intra_inter,
                                       Layer::host_net, Layer::network};
std::string_view name_of(Layer layer);  // as in plan.json

bool same(const Plan& one, const Plan& other, Layer layer);

// A set of layers: bit i is the layer with number i.
using LayerSet = unsigned;
constexpr LayerSet only(Layer layer) {
  return 1U << static_cast<unsigned>(layer);
}

// `usual` with these layers of `chosen`. What a whole run does beside its steps is `chosen`'s.
Plan with_layers(const Plan& usual, const Plan& chosen, LayerSet of_chosen);

// A decision of `chosen` that is to be as in `usual`, and those that are no decisions without it:
// an interleaved schedule has several virtual stages.
struct Undoing {
  FieldDifference field;                // one: the chosen value, other: the usual one
  std::vector<FieldDifference> family;  // others that differ and hang together with it
};

// Each field in which the plans differ, but for what follows from others: the degree of data from
// the other degrees, the number of micro-batches from the batch, which stay what they are.
std::vector<Undoing> undoings(const Plan& chosen, const Plan& usual);

// `chosen` with that field as usual, data and micro-batches filled up as `quintet simulate
// --tensor 4` does (sim/plan/asked_plan.h). The error says why there is no such plan.
Result<Plan> without(const Plan& chosen, const std::vector<FieldDifference>& fields);

}  // namespace quintet
