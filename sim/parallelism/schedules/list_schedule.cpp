#include <algorithm>
#include <cassert>
#include <cstddef>
#include <optional>
#include <set>

#include "sim/parallelism/schedules/list_schedule.h"

namespace quintet {

namespace {

struct Waiting {
  Instant from;  // when its input is there
  Pass pass;
};

struct Stage {
  std::vector<Waiting> waiting;
  int warm_up = 0;  // forwards to take before anything else
  std::optional<Pass> running;
  Instant free;
  PassOrder order;
};

// B before F before W, then the lower micro-batch.
int urgency(PassKind kind) {
  switch (kind) {
    case PassKind::input_gradient:
    case PassKind::backward:
      return 0;
    case PassKind::forward:
      return 1;
    case PassKind::weight_gradient:
      return 2;
  }
  return 3;
}

bool more_urgent(const Waiting& left, const Waiting& right) {
  const int left_urgency = urgency(left.pass.kind), right_urgency = urgency(right.pass.kind);
  return left_urgency != right_urgency ? left_urgency < right_urgency
                                       : left.pass.micro_batch < right.pass.micro_batch;
}

class Scheduler {
 public:
  Scheduler(const std::vector<int>& warm_ups, int micro_batches, const PipelineTimes& times)
      : times_(times), stages_(times.stages.size()) {
    for (std::size_t stage = 0; stage < stages_.size(); ++stage)
      stages_[stage].warm_up = std::min(warm_ups[stage], micro_batches);
    for (int micro_batch = 0; micro_batch < micro_batches; ++micro_batch)
      arrive(0, PassKind::forward, micro_batch, Instant{});
  }

  std::vector<PassOrder> run() {
    while (!instants_.empty()) {
      const Instant now = *instants_.begin();
      instants_.erase(instants_.begin());
      // All that ends now is known to everybody before anybody chooses.
      for (std::size_t stage = 0; stage < stages_.size(); ++stage) end_pass(stage, now);
      for (std::size_t stage = 0; stage < stages_.size(); ++stage) start_pass(stage, now);
    }
    std::vector<PassOrder> orders;
    for (Stage& stage : stages_) orders.push_back(std::move(stage.order));
    return orders;
  }

 private:
  void arrive(std::size_t stage, PassKind kind, int micro_batch, Instant when) {
    stages_[stage].waiting.push_back({when, {kind, micro_batch, 0}});
    instants_.insert(when);
  }

  void arrive_backward(std::size_t stage, int micro_batch, Instant when) {
    arrive(stage, PassKind::input_gradient, micro_batch, when);
    arrive(stage, PassKind::weight_gradient, micro_batch, when);
  }

  void end_pass(std::size_t stage, Instant now) {
    std::optional<Pass>& running = stages_[stage].running;
    if (!running || stages_[stage].free != now) return;
    const Pass pass = *running;
    running.reset();
    const bool last = stage + 1 == stages_.size();
    if (pass.kind == PassKind::forward && last) arrive_backward(stage, pass.micro_batch, now);
    if (pass.kind == PassKind::forward && !last)
      arrive(stage + 1, PassKind::forward, pass.micro_batch, now + times_.delays[stage]);
    if (pass.kind == PassKind::input_gradient && stage > 0)
      arrive_backward(stage - 1, pass.micro_batch, now + times_.delays[stage - 1]);
  }

  void start_pass(std::size_t index, Instant now) {
    Stage& stage = stages_[index];
    if (stage.running) return;
    auto best = stage.waiting.end();
    for (auto candidate = stage.waiting.begin(); candidate != stage.waiting.end(); ++candidate) {
      if (candidate->from > now) continue;
      if (stage.warm_up > 0 && candidate->pass.kind != PassKind::forward) continue;
      if (best == stage.waiting.end() || more_urgent(*candidate, *best)) best = candidate;
    }
    if (best == stage.waiting.end()) return;
    if (stage.warm_up > 0) --stage.warm_up;
    stage.order.push_back(best->pass);
    stage.running = best->pass;
    stage.free = now + duration_of(index, best->pass.kind);
    stage.waiting.erase(best);
    instants_.insert(stage.free);
  }

  // At least a picosecond, so that a pass without cost still ends after it has begun.
  Duration duration_of(std::size_t stage, PassKind kind) const {
    const PassTimes& times = times_.stages[stage];
    const Seconds time = kind == PassKind::forward          ? times.forward
                         : kind == PassKind::input_gradient ? times.input_gradient
                                                            : times.weight_gradient;
    return std::max(duration(time), Duration{1});
  }

  const PipelineTimes& times_;
  std::vector<Stage> stages_;
  std::set<Instant> instants_;  // at which something ends or arrives
};

}  // namespace

std::vector<PassOrder> list_schedule(const std::vector<int>& warm_ups, int micro_batches,
                                     const PipelineTimes& times) {
  assert(warm_ups.size() == times.stages.size() && !warm_ups.empty());
  assert(times.delays.size() + 1 == times.stages.size());
  return Scheduler(warm_ups, micro_batches, times).run();
}

}  // namespace quintet
