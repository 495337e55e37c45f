#include "sim/analytic/long_pipeline.h"

#include <algorithm>

namespace quintet {

namespace {

// A message that stands for those of all middle stages: the fill is the sum of them.
PricedMove mean_of(const std::vector<StagePieces>& stages, PricedMove StagePieces::*message,
                   std::size_t first, std::size_t end) {
  PricedMove mean = stages[first].*message;
  double time = 0, flight = 0;
  for (std::size_t stage = first; stage < end; ++stage) {
    time += (stages[stage].*message).time();
    flight += (stages[stage].*message).flight;
  }
  const auto count = static_cast<double>(end - first);
  mean.held = 0;
  mean.latency += time / count - mean.time();
  mean.flight = flight / count;
  return mean;
}

double longest(const std::vector<StagePieces>& stages) {
  double longest = 0;
  for (const StagePieces& stage : stages)
    longest = std::max({longest, stage.send_forward.time() + stage.send_forward.flight,
                        stage.send_backward.time() + stage.send_backward.flight});
  return longest;
}

// Micro-batches that fill the pipeline by the schedule's warm-up; 0: it has none of one rule.
int filling(const Parallelism& parallelism) {
  switch (parallelism.schedule) {
    case PipelineSchedule::gpipe:
    case PipelineSchedule::one_f_one_b:
    case PipelineSchedule::zb_h1:
    case PipelineSchedule::interleaved:
      return parallelism.pipeline;
    case PipelineSchedule::zb_h2:
      return 2 * parallelism.pipeline;
    case PipelineSchedule::warm_up:
    case PipelineSchedule::adapted:
      return 0;
  }
  return 0;
}

}  // namespace

ShorterPipelines shorter_pipelines(const Parallelism& parallelism) {
  if (parallelism.schedule == PipelineSchedule::interleaved) return {16, 8};
  return {};
}

bool grows_evenly(const Parallelism& parallelism, const StepPieces& pieces) {
  const std::vector<StagePieces>& stages = pieces.stages;
  const int filled = filling(parallelism);
  const ShorterPipelines shorter = shorter_pipelines(parallelism);
  if (parallelism.pipeline <= shorter.more + 1 || filled == 0 || parallelism.micro_batches < filled)
    return false;
  if (parallelism.schedule == PipelineSchedule::interleaved &&
      parallelism.micro_batches % shorter.more != 0)
    return false;
  const StagePieces& middle = stages[1];
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    const bool end = stage == 0 || stage + 1 == stages.size();
    if (stages[stage].speed != middle.speed) return false;
    if (!end && stages[stage].kind != middle.kind) return false;
  }
  // Messages as long as passes set the pace where they are.
  const double pass =
      middle.kind->chunks.front().chunk.layers * pieces.layers->forward.alone().time;
  return longest(stages) < pass / 4;
}

StepPieces shortened(const StepPieces& pieces, std::size_t stages) {
  StepPieces few = pieces;
  few.stages.assign(pieces.stages.begin(),
                    pieces.stages.begin() + static_cast<std::ptrdiff_t>(stages - 1));
  few.stages.push_back(pieces.stages.back());
  const std::size_t all = pieces.stages.size();
  const PricedMove forward = mean_of(pieces.stages, &StagePieces::send_forward, 0, all - 1);
  const PricedMove backward = mean_of(pieces.stages, &StagePieces::send_backward, 1, all);
  for (std::size_t stage = 0; stage < stages; ++stage) {
    if (stage + 1 < stages) few.stages[stage].send_forward = forward;
    if (stage > 0) few.stages[stage].send_backward = backward;
  }
  return few;
}

WalkedStep lengthened(const WalkedStep& more, const WalkedStep& less, int stages) {
  const auto few = static_cast<int>(more.stages.size());
  WalkedStep whole;
  const auto fewer = static_cast<int>(less.stages.size());
  whole.end = more.end + (more.end - less.end) * (stages - few) / (few - fewer);
  TimeSpent middle;
  for (int stage = 1; stage + 1 < few; ++stage) {
    const TimeSpent& one = more.stages[static_cast<std::size_t>(stage)];
    middle.compute += one.compute / (few - 2);
    middle.bubble += one.bubble / (few - 2);
    for (std::size_t axis = 0; axis < axis_count; ++axis)
      middle.exposed[axis] += one.exposed[axis] / (few - 2);
  }
  whole.stages.assign(static_cast<std::size_t>(stages), middle);
  whole.stages.front() = more.stages.front();
  whole.stages.back() = more.stages.back();
  for (TimeSpent& stage : whole.stages) stage.bubble += whole.end - more.end;
  return whole;
}

}  // namespace quintet
