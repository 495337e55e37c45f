// The end of a step: what StageExchange::finish_step adds to every stage's script.
#include <algorithm>
#include <numeric>

#include "sim/analytic/step_walk.h"

namespace quintet {

// A collective over ranks of all these stages: none goes on before the last is there.
void StepWalk::meet(const MoveChain& chain, const std::vector<std::size_t>& stages, Axis axis) {
  if (chain.links.empty()) return;
  double last = 0;
  for (const std::size_t stage : stages) last = std::max(last, stages_[stage].clock.now());
  for (const std::size_t stage : stages) {
    stages_[stage].clock.wait_for_stages(last);
    double end = last;
    for (const MoveChain::Link& link : chain.links) end += link.times * link.move.time();
    stages_[stage].clock.wait_for_move(end, axis);
  }
}

void StepWalk::finish() {
  std::vector<std::size_t> all(stages_.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const auto run = [&](std::size_t stage, const TimedBody* body) {
    if (body != nullptr) stages_[stage].clock.run(*body, 1, pieces_.stages[stage].speed);
  };
  const auto clip = [&] {
    for (const std::size_t stage : all) run(stage, pieces_.stages[stage].kind->end.norm);
    meet(pieces_.norm_sum, all, Axis::pipeline);
    for (const std::size_t stage : all) run(stage, pieces_.stages[stage].kind->end.clip);
  };
  if (parallelism_.clipping == Clipping::before_reduction) clip();
  bool late = false;
  for (const std::size_t stage : all) {
    Stage& at = stages_[stage];
    late = late || !at.late.empty();
    for (const Late& each : at.late)
      send_bucket(at, pieces_.stages[stage], each.chunk, each.bucket);
    at.clock.wait_for_all_data();
    meet(pieces_.stages[stage].kind->end.shared_sum, {stage}, Axis::tensor);
  }
  meet(pieces_.stages.front().kind->end.tied_sum, {0, stages_.size() - 1}, Axis::pipeline);
  if (parallelism_.clipping == Clipping::after_reduction) clip();
  const bool told = parallelism_.clipping == Clipping::after_reduction ||
                    (parallelism_.clipping == Clipping::before_reduction && !late);
  if (parallelism_.loss_scaling && !told) {
    for (const std::size_t stage : all) run(stage, pieces_.stages[stage].kind->end.unscale_norm);
    meet(pieces_.unscale_sum, all, Axis::pipeline);
    for (const std::size_t stage : all) run(stage, pieces_.stages[stage].kind->end.unscale);
  }
  for (const std::size_t stage : all) {
    const EndPieces& end = pieces_.stages[stage].kind->end;
    run(stage, end.update);
    meet(end.tensor_norms, {stage}, Axis::tensor);
    run(stage, end.update_rest);
    Stage& at = stages_[stage];
    if (!gathers_ || gathers_first_) continue;
    gather_all(at, pieces_.stages[stage]);
    at.clock.wait_for_all_data();
  }
}

// The drain: a stage that is done while others are not.
WalkedStep StepWalk::result() {
  WalkedStep step;
  for (Stage& stage : stages_) step.end = std::max(step.end, stage.clock.end());
  for (const Stage& stage : stages_) {
    step.stages.push_back(stage.clock.times());
    if (stages_.size() > 1) step.stages.back().bubble += step.end - stage.clock.now();
  }
  return step;
}

}  // namespace quintet
