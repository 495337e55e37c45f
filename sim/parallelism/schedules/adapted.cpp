// An order planned for what the stages really take and for links that are slow (PipeMorph, arXiv
// 2504.19232 section 4.3): algorithm 3, list scheduling (list_schedule.h), from the plan's warm-up
// counts (algorithm 1 makes such of a memory) or, where it gives none, those of algorithm 2.
//
//   F = B = W = 1; 6 micro-batches      stage 0  F1 F2 F3 B1 F4 B2 F5 B3 F6 W1 ...
//   no delay: warm-ups 3, 1             stage 1  .  F1 B1 F2 B2 F3 B3 F4 B4 ...
//
// A delay of 1.5 passes raises the first stage's warm-up to 4 by equation 1, (1 + 1 + 3) / 2 = 2.5,
// so D = 3, and one forward more is in flight while B1 is late. In flight: the count of the stage,
// and the micro-batches whose W is put off.
#include "sim/parallelism/schedules/list_schedule.h"
#include "sim/parallelism/schedules/schedule.h"

namespace quintet::schedules {

namespace {

PassOrder order(const PipelineShape& shape, int stage) {
  const PipelineTimes times = pipeline_times(shape.times);
  const std::vector<int> warm_ups =
      shape.warm_ups.empty() ? adapted_warm_ups(shape.micro_batches, times) : shape.warm_ups;
  return list_schedule(warm_ups, shape.micro_batches, times)[static_cast<std::size_t>(stage)];
}

}  // namespace

const ScheduleRow adapted{.name = "adapted",
                          .warm_ups = WarmUps::either,
                          .backward = Backward::split,
                          .times = Times::given,
                          .order = order};

}  // namespace quintet::schedules
