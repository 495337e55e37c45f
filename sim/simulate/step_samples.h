// What samples of unequal length change of a prediction's numbers.
#pragma once

#include <optional>

#include "sim/explain/summary.h"
#include "sim/model/step_flops.h"
#include "sim/plan/plan.h"
#include "sim/topology/topology.h"

namespace quintet {

// Tokens and operations are those that the ranks have, without padding.
void take_samples(const Model& model, const DealtSamples& dealt, AttentionCount attention,
                  RecomputedPart recomputed, StepNumbers& numbers);

// What the plan's samples come to over many steps; nothing where they have one length.
std::optional<LoadBalanceFigures> load_balance_of(const Model& model, const Plan& plan,
                                                  const Topology& topology);

}  // namespace quintet
