#include "sim/parallelism/pipeline_order.h"

#include <cassert>

#include "sim/parallelism/schedules/pass_order.h"

namespace quintet {

bool splits_backward(const Parallelism& parallelism) {
  return parallelism.split_backward ||
         row_of(parallelism.schedule).backward == schedules::Backward::split;
}

PassOrder pipeline_order(const Parallelism& parallelism, int stage) {
  assert(stage >= 0 && stage < parallelism.pipeline);
  const PassOrder order = row_of(parallelism.schedule)
                              .order({.stages = parallelism.pipeline,
                                      .micro_batches = parallelism.micro_batches,
                                      .chunks = parallelism.virtual_stages,
                                      .warm_ups = parallelism.warm_ups,
                                      .times = parallelism.stage_times},
                                     stage);
  return parallelism.split_backward ? with_split_backward(order) : order;
}

}  // namespace quintet
