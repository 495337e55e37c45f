#include "sim/training_run/periodic_step.h"

#include <cmath>

namespace quintet {

PeriodicStep periodic_step(int every, Seconds with_exchange, Seconds between) {
  return {every, between, ((every - 1) * between + with_exchange) / every};
}

StepSummary mean_summary(int every, const StepSummary& with_exchange, const StepSummary& between) {
  const double others = every - 1;
  const Seconds mean = periodic_step(every, with_exchange.step, between.step).mean;
  StepSummary summary = with_exchange;
  if (!(mean > Seconds{})) return summary;
  const double faster = with_exchange.step / mean;
  for (double* const rate :
       {&summary.mfu, &summary.hfu, &summary.tokens_per_second, &summary.tokens_per_second_per_gpu})
    *rate *= faster;
  summary.energy = (others * between.energy + with_exchange.energy) / every;
  summary.power = Watts{summary.energy.value / mean.value};
  summary.cost = (others * between.cost + with_exchange.cost) / every;
  summary.cost_per_trillion_tokens = (1 / faster) * summary.cost_per_trillion_tokens;
  return summary;
}

double exchanges_in(double steps, int every) {
  return std::floor(steps / every);
}

}  // namespace quintet
