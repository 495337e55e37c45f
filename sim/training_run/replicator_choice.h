// Which replicator reaches a loss first: steps that its measured curve needs, times its predicted
// step. Of what was not measured nothing is known: rates, chunks and numbers of coefficients
// between two curves are no candidates. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/base/units.h"
#include "sim/training_run/loss_curves.h"

namespace quintet {

// The least final loss of those that sum all gradients in every step, else of all, times 1 +
// within.
double target_loss(const LossCurves& curves, double within);

// The curve's first crossing, on a straight line between two points; before its first point
// nothing is known: at the earliest that one. None: the loss is never reached.
std::optional<double> steps_to(const LossCurve& curve, double loss);

struct RatedReplicator {
  int curve = 0;                // its place among the curves
  std::optional<Seconds> step;  // predicted; none: its plan is not possible
  std::optional<double> steps;  // none: the loss is not reached
  std::optional<Seconds> time;  // where both are known
  bool operator==(const RatedReplicator&) const = default;
};

// As many as curves and predicted steps, which stand in one order: the fastest first, those that
// take no known time last, of equal ones the first.
std::vector<RatedReplicator> rated(const LossCurves& curves,
                                   std::span<const std::optional<Seconds>> steps, double loss);

}  // namespace quintet
