// Warm-up counts given per stage (PipeMorph, arXiv 2504.19232 section 4): more forwards in flight
// between two stages absorb a slower link between them. After its warm-up each stage takes what
// has arrived, B before F before W (list_schedule.h), in the order for F = B = W and no delay.
//
//   stage 0  F1 F2 F3 B1 W1 B2 W2 B3 W3    warm-ups 3, 1; 3 micro-batches
//   stage 1  .  F1 B1 F2 B2 F3 B3 W1 W2 W3
//
// In flight: the count of the stage, and the micro-batches whose W is put off.
#include "sim/parallelism/schedules/list_schedule.h"
#include "sim/parallelism/schedules/schedule.h"

namespace quintet::schedules {

namespace {

PassOrder order(const PipelineShape& shape, int stage) {
  const Seconds same{1e-3};
  return list_schedule(
      shape.warm_ups, shape.micro_batches,
      even_times(shape.stages, {same, same, same}))[static_cast<std::size_t>(stage)];
}

}  // namespace

const ScheduleRow warm_up{
    .name = "warm-up", .warm_ups = WarmUps::given, .backward = Backward::split, .order = order};

}  // namespace quintet::schedules
