#include "sim/analytic/step_walk.h"

#include <algorithm>
#include <cmath>

#include "sim/parallelism/pipeline_order.h"

namespace quintet {

namespace {

CommunicationBeside company(const PricedMove& move) {
  CommunicationBeside beside;
  add(beside, move);
  return beside;
}

int period_of(const Parallelism& parallelism) {
  return parallelism.schedule == PipelineSchedule::interleaved ? parallelism.pipeline : 1;
}

// Of a walk of so few micro-batches the last at which it still goes on as with many: before the
// last stage's forwards run out, which are as many ahead as the schedule warms up.
int last_of_periods(const Parallelism& parallelism, int micro_batches) {
  const int stages = parallelism.pipeline;
  switch (parallelism.schedule) {
    case PipelineSchedule::gpipe:
      return micro_batches - 2;
    case PipelineSchedule::one_f_one_b:
    case PipelineSchedule::zb_h1:
      return micro_batches - stages - 1;
    case PipelineSchedule::zb_h2:
      return micro_batches - 2 * stages - 1;
    case PipelineSchedule::interleaved:
      return micro_batches - 2 * stages - 1;
    case PipelineSchedule::warm_up:
    case PipelineSchedule::adapted:
      return -1;
  }
  return -1;
}

}  // namespace

StepWalk::StepWalk(const Plan& plan, const CostTable& costs, const CompileOptions& options,
                   const StepPieces& pieces, const std::vector<PassOrder>& orders,
                   int micro_batches, JointLinks& joint)
    : plan_(plan),
      parallelism_(plan.parallelism),
      costs_(costs),
      options_(options),
      pieces_(pieces),
      orders_(orders),
      micro_batches_(micro_batches),
      sharded_(plan.parallelism.sharding == Sharding::parameters &&
               shard_ranks(plan.parallelism) > 1),
      gathers_((plan.parallelism.sharding == Sharding::optimizer ||
                plan.parallelism.sharding == Sharding::gradients) &&
               shard_ranks(plan.parallelism) > 1),
      gathers_first_(gathers_ && plan.ccl.overlap_parameters),
      splits_(splits_backward(plan.parallelism)),
      period_(period_of(plan.parallelism)),
      last_(last_of_periods(plan.parallelism, micro_batches)) {
  for (const StagePieces& stage : pieces.stages) {
    Stage made{.clock = StageClock(costs.launch, joint)};
    const std::size_t messages =
        stage.kind->chunks.size() * static_cast<std::size_t>(micro_batches);
    if (pieces.stages.size() > 1) {
      made.forward.resize(messages);
      made.backward.resize(messages);
    }
    made.passes_left.assign(stage.kind->chunks.size(), micro_batches);
    stages_.push_back(std::move(made));
  }
}

WalkedStep StepWalk::run() {
  for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
    if (gathers_first_) gather_all(stages_[stage], pieces_.stages[stage]);
    if (sharded_) list_gathers(stage);
  }
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t stage = 0; stage < stages_.size(); ++stage)
      while (advance(stage)) moved = true;
  }
  finish();
  return result();
}

void StepWalk::note(const Stage& at, int micro_batch, std::vector<Milestone>& milestones) const {
  const int before = last_ - micro_batch;
  if (before == 0 || before == period_ || before == 2 * period_)
    milestones.push_back({at.clock.now(), at.clock.times()});
}

// Where gathers and kernels take turns in waiting for one another, periods come nearer and nearer
// to what they end at; nobody sees so much of a difference.
constexpr double as_even = 2e-3;

std::optional<WalkedStep> StepWalk::prolonged(const WalkedStep& walked, bool anyhow) const {
  const bool apart = parallelism_.schedule == PipelineSchedule::gpipe;
  const double times = static_cast<double>(parallelism_.micro_batches - micro_batches_) / period_;
  WalkedStep whole = walked;
  const auto go_on = [&](const std::vector<Milestone>& stones, TimeSpent& spent) {
    if (stones.size() != 3) return -1.0;
    const double one = stones[1].now - stones[0].now, other = stones[2].now - stones[1].now;
    if (!anyhow && std::abs(one - other) > as_even * other) return -1.0;
    const TimeSpent &from = stones[1].spent, &to = stones[2].spent;
    spent.compute += times * (to.compute - from.compute);
    spent.bubble += times * (to.bubble - from.bubble);
    for (std::size_t axis = 0; axis < axis_count; ++axis)
      spent.exposed[axis] += times * (to.exposed[axis] - from.exposed[axis]);
    return other;
  };
  double forwards = 0, backwards = 0;
  for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
    const double back = go_on(stages_[stage].backwards, whole.stages[stage]);
    const double forth = apart ? go_on(stages_[stage].forwards, whole.stages[stage]) : 0;
    if (back < 0 || forth < 0) return std::nullopt;
    backwards = std::max(backwards, back);
    forwards = std::max(forwards, forth);
  }
  whole.end += times * (forwards + backwards);
  return whole;
}

bool StepWalk::advance(std::size_t number) {
  Stage& stage = stages_[number];
  if (stage.next == orders_[number].size()) return false;
  const Pass& pass = orders_[number][stage.next];
  const Chunk& chunk =
      pieces_.stages[number].kind->chunks[static_cast<std::size_t>(pass.chunk)].chunk;
  const std::size_t at = place(pass.chunk, pass.micro_batch);
  switch (pass.kind) {
    case PassKind::forward:
      if (!chunk.embedding && stage.forward[at].arrives < 0) return false;
      forward(number, pass);
      break;
    case PassKind::input_gradient:
    case PassKind::backward:
      if (!chunk.head && stage.backward[at].arrives < 0) return false;
      backward(number, pass);
      break;
    case PassKind::weight_gradient:
      weight_gradient(number, pass);
      break;
  }
  ++stage.next;
  return true;
}

// As soon as its pass is done and the lane is free; the receiver waits from when it was sent.
void StepWalk::send(std::size_t number, const Pass& pass, bool forward, double ready) {
  const std::size_t stages = stages_.size();
  const PricedMove& move =
      forward ? pieces_.stages[number].send_forward : pieces_.stages[number].send_backward;
  MoveLane& lane =
      stages_[number].clock.lane(forward ? StageClock::send_forward : StageClock::send_backward);
  ready = std::max(ready, stages_[number].clock.launch_message());
  const MoveLane::Interval moved = lane.take(ready, move.time(), company(move));
  const bool wraps = forward ? number == stages - 1 : number == 0;
  const std::size_t to = (forward ? number + 1 : number + stages - 1) % stages;
  const int chunk = pass.chunk + (wraps ? (forward ? 1 : -1) : 0);
  Stage& receiver = stages_[to];
  (forward ? receiver.forward : receiver.backward)[place(chunk, pass.micro_batch)] = {
      moved.begin, moved.end + move.flight};
  if (plan_.host_net.head_of_line != HeadOfLine::none)
    stages_[number].clock.hold_launches(moved.begin + move.held);
}

void StepWalk::forward(std::size_t number, const Pass& pass) {
  Stage& at = stages_[number];
  const StagePieces& pieces = pieces_.stages[number];
  const ChunkPieces& part = pieces.kind->chunks[static_cast<std::size_t>(pass.chunk)];
  const LayerPieces& layers = *pieces_.layers;
  const bool first = pass.micro_batch == 0 && gathers_first_;
  const auto gathered = [&](std::size_t bucket) {
    const int last = at.gathered[static_cast<std::size_t>(pass.chunk)][bucket];
    if (last >= 0) at.clock.wait_for_data(DataLanes::parameters, last);
  };
  if (part.chunk.embedding) {
    if (sharded_) await_gather(at);
    if (first) gathered(part.buckets.size() - 1);
    at.clock.run(layers.embedding_forward, 1, pieces.speed);
  } else {
    const Message& message = at.forward[place(pass.chunk, pass.micro_batch)];
    at.clock.launch_message();
    at.clock.wait_for_message(message.arrives, message.sent);
    if (options_.synchronises_after_receive)
      at.clock.hold_launches(at.clock.now() + costs_.launch.synchronise.value);
  }
  if (sharded_) {
    for (int layer = 0; layer < part.chunk.layers; ++layer) {
      await_gather(at);
      at.clock.run(layers.forward, 1, pieces.speed);
      use(at);
    }
  } else if (first) {
    for (std::size_t index = part.buckets.size(); index-- > 0;) {
      if (part.buckets[index].bucket.layers == 0) continue;
      gathered(index);
      at.clock.run(layers.forward, part.buckets[index].bucket.layers, pieces.speed);
    }
  } else {
    at.clock.run(layers.forward, part.chunk.layers, pieces.speed);
  }
  if (pass.chunk == 0) note(at, pass.micro_batch, at.forwards);
  if (!part.chunk.head) return send(number, pass, true, at.clock.now());
  if (sharded_ && !part.chunk.embedding) await_gather(at);
  at.clock.run(layers.head_forward, 1, pieces.speed);
}

// The plan may recompute only the first so many layers of the chunk.
void StepWalk::backward_layers(Stage& at, const StagePieces& pieces, const ChunkPieces& part,
                               int last, int count) {
  const int kept = std::clamp(last - (part.chunk.first_layer + part.recomputed) + 1, 0, count);
  backward_run(at, pieces, pieces_.layers->kept_backward, kept);
  backward_run(at, pieces, pieces_.layers->backward, count - kept);
}

void StepWalk::backward_run(Stage& at, const StagePieces& pieces, const TimedBody& body,
                            int count) {
  if (!sharded_) return at.clock.run(body, count, pieces.speed);
  for (int layer = 0; layer < count; ++layer) {
    await_gather(at);
    at.clock.run(body, 1, pieces.speed);
    use(at);
  }
}

bool StepWalk::completes(const Stage& at, const Pass& pass) const {
  return parallelism_.sharding == Sharding::gradients ||
         parallelism_.sharding == Sharding::parameters ||
         at.passes_left[static_cast<std::size_t>(pass.chunk)] == 1;
}

void StepWalk::backward(std::size_t number, const Pass& pass) {
  Stage& at = stages_[number];
  const StagePieces& pieces = pieces_.stages[number];
  const ChunkPieces& part = pieces.kind->chunks[static_cast<std::size_t>(pass.chunk)];
  const LayerPieces& layers = *pieces_.layers;
  const bool whole = pass.kind == PassKind::backward;
  const bool taken = whole && (completes(at, pass) || clips_micro_batches(parallelism_));
  if (part.chunk.head) {
    at.clock.run(layers.head_backward, 1, pieces.speed);
  } else {
    const Message& message = at.backward[place(pass.chunk, pass.micro_batch)];
    at.clock.launch_message();
    at.clock.wait_for_message(message.arrives, message.sent);
    if (options_.synchronises_after_receive)
      at.clock.hold_launches(at.clock.now() + costs_.launch.synchronise.value);
  }
  double done = at.clock.now();
  if (taken) {
    for (std::size_t index = 0; index < part.buckets.size(); ++index) {
      const Bucket& bucket = part.buckets[index].bucket;
      if (bucket.layers > 0) {
        backward_layers(at, pieces, part, bucket.last_layer, bucket.layers);
        done = at.clock.now();
      }
      if (!bucket.embedding) exchange(at, pieces, pass.chunk, index);
    }
  } else {
    backward_layers(at, pieces, part, part.chunk.first_layer + part.chunk.layers - 1,
                    part.chunk.layers);
    done = at.clock.now();
  }
  if (part.chunk.embedding) {
    at.clock.run(layers.embedding_backward, 1, pieces.speed);
    if (taken) exchange(at, pieces, pass.chunk, part.buckets.size() - 1);
  } else {
    send(number, pass, false, done);
  }
  if (whole) --at.passes_left[static_cast<std::size_t>(pass.chunk)];
  if (pass.chunk == 0) note(at, pass.micro_batch, at.backwards);
}

void StepWalk::weight_gradient(std::size_t number, const Pass& pass) {
  Stage& at = stages_[number];
  const StagePieces& pieces = pieces_.stages[number];
  const ChunkPieces& part = pieces.kind->chunks[static_cast<std::size_t>(pass.chunk)];
  const bool taken = completes(at, pass);
  if (part.chunk.head) at.clock.run(pieces_.layers->head_weight_gradient, 1, pieces.speed);
  for (std::size_t index = 0; index < part.buckets.size(); ++index) {
    at.clock.run(pieces_.layers->weight_gradient, part.buckets[index].bucket.layers, pieces.speed);
    if (taken) exchange(at, pieces, pass.chunk, index);
  }
  --at.passes_left[static_cast<std::size_t>(pass.chunk)];
}

// Returns the number of the last on the lane; -1: there is none.
int StepWalk::take(Stage& at, DataLanes::Lane lane, const MoveChain& chain,
                   const TimedBody* beside) {
  int last = -1;
  for (const MoveChain::Link& link : chain.links)
    last = at.clock.take_data(lane, link.move, link.times,
                              beside != nullptr ? beside->slows(link.move) : 1);
  return last;
}

// At most two layers' weights beside those in use; without overlap none.
void StepWalk::list_gathers(std::size_t number) {
  Stage& at = stages_[number];
  const std::size_t ahead = plan_.ccl.overlap_parameters ? 2 : 1;
  std::size_t uses = 0;
  const auto add = [&](const MoveChain& chain) {
    at.gathers.push_back({&chain, uses >= ahead ? uses - ahead + 1 : 0});
  };
  for (const Pass& pass : orders_[number]) {
    if (pass.kind == PassKind::weight_gradient) continue;
    const ChunkPieces& part =
        pieces_.stages[number].kind->chunks[static_cast<std::size_t>(pass.chunk)];
    const bool forward = pass.kind == PassKind::forward;
    if (forward && part.chunk.embedding) add(part.gather_embedding);
    for (int layer = 0; layer < part.chunk.layers; ++layer, ++uses) add(part.gather_layer);
    if (forward && part.chunk.head && !part.chunk.embedding) add(part.gather_head);
  }
  begin_gathers(at);
}

void StepWalk::begin_gathers(Stage& at) {
  while (at.begun.size() < at.gathers.size() && at.gathers[at.begun.size()].uses <= at.used)
    at.begun.push_back(take(at, DataLanes::parameters, *at.gathers[at.begun.size()].chain,
                            &pieces_.layers->forward));
}

void StepWalk::await_gather(Stage& at) {
  at.clock.wait_for_data(DataLanes::parameters, at.begun[at.awaited++]);
}

void StepWalk::use(Stage& at) {
  ++at.used;
  begin_gathers(at);
}

void StepWalk::gather_all(Stage& at, const StagePieces& pieces) {
  at.gathered.clear();
  for (const ChunkPieces& part : pieces.kind->chunks) {
    std::vector<int>& numbers = at.gathered.emplace_back(part.buckets.size());
    for (std::size_t index = part.buckets.size(); index-- > 0;)
      numbers[index] = take(at, DataLanes::parameters, part.buckets[index].gather, nullptr);
  }
}

void StepWalk::exchange(Stage& at, const StagePieces& pieces, int number, std::size_t index) {
  const auto chunk = static_cast<std::size_t>(number);
  const BucketPieces& bucket = pieces.kind->chunks[chunk].buckets[index];
  if (bucket.bucket.parameters == 0) return;
  const bool whole = parallelism_.sharding == Sharding::gradients ||
                     parallelism_.sharding == Sharding::parameters || at.passes_left[chunk] == 1;
  if (!whole) {
    if (bucket.keep != nullptr) at.clock.run(*bucket.keep, 1, pieces.speed);
    return;
  }
  if (bucket.sum.links.empty()) {
    if (bucket.prepare != nullptr) at.clock.run(*bucket.prepare, 1, pieces.speed);
    return;
  }
  if (plan_.ccl.overlap_gradients && parallelism_.clipping != Clipping::before_reduction)
    send_bucket(at, pieces, chunk, index);
  else
    at.late.push_back({chunk, index});
}

void StepWalk::send_bucket(Stage& at, const StagePieces& pieces, std::size_t chunk,
                           std::size_t index) {
  const BucketPieces& bucket = pieces.kind->chunks[chunk].buckets[index];
  if (bucket.prepare != nullptr) at.clock.run(*bucket.prepare, 1, pieces.speed);
  const TimedBody& beside = splits_ ? pieces_.layers->weight_gradient : pieces_.layers->backward;
  take(at, DataLanes::gradients, bucket.sum, &beside);
}

}  // namespace quintet
