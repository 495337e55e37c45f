// Pass orders replayed on paper: nothing but passes and delays costs time.
#pragma once

#include <vector>

#include "sim/parallelism/schedules/list_schedule.h"
#include "sim/plan/parallelism.h"

namespace quintet::test {

// The order of every stage.
std::vector<PassOrder> pipeline_orders(const Parallelism& parallelism);

// Start of the first pass to the end of the last when every stage keeps its order and each pass
// starts as soon as its stage is free and its input has arrived. Nothing but `delays` costs time
// between stages. Seconds{-1} when the orders wait for each other for ever.
Seconds pipeline_time(const std::vector<PassOrder>& orders, const PipelineTimes& times);

// How long each stage stands still between its first and its last pass, in the same replay.
std::vector<Seconds> stage_pauses(const std::vector<PassOrder>& orders, const PipelineTimes& times);

// Most activations a stage holds at once, in micro-batches of one chunk: taken by a forward, given
// back by the backward or weight gradient.
int peak_activations(const PassOrder& order);

}  // namespace quintet::test
