#include "sim/simulate/plan_between.h"

namespace quintet {

std::optional<Plan> plan_between(const Plan& plan) {
  if (plan.parallelism.replicator.every == 1) return std::nullopt;
  Plan between = plan;
  between.parallelism.replicator.kind = ReplicatorKind::none;
  between.parallelism.replicator.every = 1;
  between.run = {};
  return between;
}

bool has_exchange(const Plan& plan, int step) {
  return step % plan.parallelism.replicator.every == 0;
}

}  // namespace quintet
