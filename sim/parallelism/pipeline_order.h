// The order in which a stage of a plan works through its micro-batches. Pure: no machine, no model.
#pragma once

#include "sim/plan/parallelism.h"

namespace quintet {

// B and W are passes of their own, because the schedule needs it or the plan asks for it.
bool splits_backward(const Parallelism& parallelism);

// Needs a plan without problems.
PassOrder pipeline_order(const Parallelism& parallelism, int stage);

}  // namespace quintet
