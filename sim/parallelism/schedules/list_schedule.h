// An order made from what passes and messages cost, and the warm-up counts it starts from
// (PipeMorph, arXiv 2504.19232). With warm-ups 3, 1 and one unit per pass, stage 1 of two has F1 at
// 1, then B1, because backwards go first, then F2, which arrived meanwhile, and so on; its W wait
// until nothing else is there: F1 B1 F2 B2 F3 B3 W1 W2 W3.
#pragma once

#include <vector>

#include "sim/base/units.h"
#include "sim/parallelism/schedules/schedule.h"

namespace quintet {

struct PassTimes {
  Seconds forward, input_gradient, weight_gradient;  // of one chunk and micro-batch
  bool operator==(const PassTimes&) const = default;
};

// What the pipeline looks like to a scheduler.
struct PipelineTimes {
  std::vector<PassTimes> stages;
  // Added to every message between stage i and i + 1, either way; as many messages at once as there
  // are. Size stages - 1.
  std::vector<Seconds> delays;
  bool operator==(const PipelineTimes&) const = default;
};

// What a plan says of its stages; the last one's delay is of no link.
PipelineTimes pipeline_times(const std::vector<StageTimes>& stages);

// All stages with the same times and no delays.
PipelineTimes even_times(int stages, const PassTimes& times);

// Greedy list scheduling (algorithm 3), event by event instead of in steps of delta: equal to it
// when delta divides all times. Each idle stage does its first warm_ups[i] forwards and nothing
// else; then whatever has arrived, B before F before W, lowest micro-batch first. No limit on
// activations.
std::vector<PassOrder> list_schedule(const std::vector<int>& warm_ups, int micro_batches,
                                     const PipelineTimes& times);

// Warm-up counts for `activations` micro-batches in memory on the first stage (algorithm 1). Needs
// activations >= stages.
std::vector<int> initial_warm_ups(int activations, int stages);

// Warm-up counts that keep delays from cascading (algorithm 2).
std::vector<int> adapted_warm_ups(int micro_batches, const PipelineTimes& times);

// Whether a delay on link i is absorbed: tF_i + tB_i + 2 c_i <= D_i (tF_{i+1} + tB_{i+1})
// (equation 1), per link.
std::vector<bool> absorbed_delays(const std::vector<int>& warm_ups, const PipelineTimes& times);

}  // namespace quintet
