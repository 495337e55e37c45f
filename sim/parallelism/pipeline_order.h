// The order in which a stage works through its micro-batches. Pure: no machine, no model.
#pragma once

#include <vector>

#include "sim/base/units.h"
#include "sim/plan/parallelism.h"

namespace quintet {

enum class PassKind {
  forward,          // F
  input_gradient,   // B: what the stage before waits for
  weight_gradient,  // W: what only the optimizer waits for
  backward,         // B and W in one
};

struct Pass {
  PassKind kind = PassKind::forward;
  int micro_batch = 0;
  int chunk =
      0;  // virtual stage on this rank; the model's chunk number is chunk * pipeline + stage
  bool operator==(const Pass&) const = default;
};

using PassOrder = std::vector<Pass>;

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

// All stages with the same times and no delays.
PipelineTimes even_times(int stages, const PassTimes& times);

// The order of one stage. Needs a plan without problems. warm_up is scheduled for even times and no
// delay, F = B = W (papers.md 4.3: the unadapted schedule); use list_schedule for others.
//   gpipe         all F, then all backwards, first micro-batch first (arXiv 1811.06965)
//   one_f_one_b   PipeDream-Flush (arXiv 2006.09503), as Megatron-LM schedules.py runs it
//   interleaved   Megatron-LM's order (arXiv 2104.04473 section 2.2; micro-batch groups of
//                 `pipeline`)
//   zb_h1         zero bubble H1 (arXiv 2401.10241 section 2.1)
// split_backward puts each backward as B, then W.
PassOrder pipeline_order(const Parallelism& parallelism, int stage);
std::vector<PassOrder> pipeline_orders(const Parallelism& parallelism);

// Greedy list scheduling (PipeMorph, arXiv 2504.19232 algorithm 3; papers.md 4.3 item 3), event by
// event instead of in steps of delta: equal to it when delta divides all times. Each idle stage
// does its first warm_ups[i] forwards and nothing else; then whatever has arrived, B before F
// before W, lowest micro-batch first. No limit on activations.
std::vector<PassOrder> list_schedule(const std::vector<int>& warm_ups, int micro_batches,
                                     const PipelineTimes& times);

// Warm-up counts for `activations` micro-batches in memory on the first stage (algorithm 1;
// papers.md 4.3 item 1). Needs activations >= stages.
std::vector<int> initial_warm_ups(int activations, int stages);

// Warm-up counts that keep delays from cascading (algorithm 2; papers.md 4.3 item 2).
std::vector<int> adapted_warm_ups(int micro_batches, const PipelineTimes& times);

// Whether a delay on link i is absorbed: tF_i + tB_i + 2 c_i <= D_i (tF_{i+1} + tB_{i+1})
// (equation 1; papers.md 4.2), per link.
std::vector<bool> absorbed_delays(const std::vector<int>& warm_ups, const PipelineTimes& times);

// Start of the first pass to the end of the last when every stage keeps its order and each pass
// starts as soon as its stage is free and its input has arrived. Nothing but `delays` costs time
// between stages. Seconds{-1} when the orders wait for each other for ever.
Seconds pipeline_time(const std::vector<PassOrder>& orders, const PipelineTimes& times);

// Most activations a stage holds at once, in micro-batches of one chunk: taken by a forward, given
// back by the backward or weight gradient.
int peak_activations(const PassOrder& order);

}  // namespace quintet
