// Steps that are not all alike: replicas that exchange something in the last of so many steps only.
// Pure.
#pragma once

#include "sim/base/units.h"
#include "sim/explain/summary.h"

namespace quintet {

// The prediction is of the step with the exchange; without it one takes `between`.
struct PeriodicStep {
  int every = 1;
  Seconds between, mean;
  bool operator==(const PeriodicStep&) const = default;
};

PeriodicStep periodic_step(int every, Seconds with_exchange, Seconds between);

// Rates, energy, power and money of the mean of so many steps, of which one has the exchange; the
// step is still that with it.
StepSummary mean_summary(int every, const StepSummary& with_exchange, const StepSummary& between);

// Of the first so many steps those with the exchange: the last of each whole cycle.
double exchanges_in(double steps, int every);

}  // namespace quintet
