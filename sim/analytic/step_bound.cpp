#include "sim/analytic/step_bound.h"

#include <algorithm>

#include "sim/parallelism/pipeline_order.h"

namespace quintet {

namespace {

class StepBound {
 public:
  StepBound(const Plan& plan, const StepPieces& pieces, bool alike)
      : parallelism_(plan.parallelism),
        pieces_(pieces),
        layers_(*pieces.layers),
        alike_(alike),
        splits_(splits_backward(plan.parallelism)) {}

  double least() const {
    double least = 0, fill = 0, drain = 0, finish = 0;
    for (const StagePieces& stage : pieces_.stages)
      if (has_norm_after()) finish = std::max(finish, end_of(stage));
    for (std::size_t number = 0; number < pieces_.stages.size(); ++number) {
      const StagePieces& stage = pieces_.stages[number];
      const double behind = std::max(end_of(stage), finish);
      const double passes = passes_of(stage);
      least = std::max(least, fill + passes + behind);
      if (has_drain()) least = std::max(least, fill + passes + drain + behind_drain(finish));
      least = std::max(least, fill + exchange_of(stage, passes) + end_of(stage));
      fill += forward(stage.kind->chunks.front()) + message(stage.send_forward);
      if (number + 1 < pieces_.stages.size())
        drain += backward(stage.kind->chunks.front()) +
                 message(pieces_.stages[number + 1].send_backward);
    }
    return least;
  }

 private:
  double body(const TimedBody& body) const { return alike_ ? body.least() : body.kernels(); }
  double message(const PricedMove& move) const { return alike_ ? move.least() + move.flight : 0; }
  double chain(const MoveChain& chain) const {
    double time = 0;
    for (const MoveChain::Link& link : chain.links) time += link.times * link.move.least();
    return alike_ ? time : 0;
  }
  static double kernels(const TimedBody* body) { return body == nullptr ? 0 : body->kernels(); }

  double forward(const ChunkPieces& part) const {
    return (part.chunk.embedding ? body(layers_.embedding_forward) : 0) +
           part.chunk.layers * body(layers_.forward) +
           (part.chunk.head ? body(layers_.head_forward) : 0);
  }
  double layers_back(const ChunkPieces& part) const {
    return part.recomputed * body(layers_.backward) +
           (part.chunk.layers - part.recomputed) * body(layers_.kept_backward);
  }
  // Whole, or B.
  double backward(const ChunkPieces& part) const {
    return layers_back(part) + (part.chunk.embedding ? body(layers_.embedding_backward) : 0) +
           (part.chunk.head ? body(layers_.head_backward) : 0);
  }
  double weights(const ChunkPieces& part) const {
    if (!splits_) return 0;
    return part.chunk.layers * body(layers_.weight_gradient) +
           (part.chunk.head ? body(layers_.head_weight_gradient) : 0);
  }
  double passes_of(const StagePieces& stage) const {
    double time = 0;
    for (const ChunkPieces& part : stage.kind->chunks)
      time += forward(part) + backward(part) + weights(part);
    return time * parallelism_.micro_batches;
  }

  bool has_norm_after() const { return parallelism_.clipping == Clipping::after_reduction; }
  bool has_drain() const {
    return parallelism_.schedule == PipelineSchedule::one_f_one_b ||
                   parallelism_.schedule == PipelineSchedule::gpipe ||
                   parallelism_.schedule == PipelineSchedule::interleaved
               ? !splits_
               : false;
  }
  double end_of(const StagePieces& stage) const {
    double time = kernels(stage.kind->end.update) + kernels(stage.kind->end.update_rest);
    if (has_norm_after()) time += kernels(stage.kind->end.clip);
    return time;
  }
  double behind_drain(double finish) const {
    return std::max(end_of(pieces_.stages.front()), finish);
  }

  bool leaves_every_time() const {
    return parallelism_.sharding == Sharding::gradients ||
           parallelism_.sharding == Sharding::parameters;
  }
  double exchange_of(const StagePieces& stage, double passes) const {
    double sums = 0, gathers = 0, last = 0, first = 0;
    for (const ChunkPieces& part : stage.kind->chunks) {
      for (const BucketPieces& bucket : part.buckets) sums += chain(bucket.sum);
      gathers += 2 * part.chunk.layers * chain(part.gather_layer) + chain(part.gather_embedding) +
                 chain(part.gather_head);
      last += splits_ ? weights(part) : backward(part);
    }
    first = forward(stage.kind->chunks.front());
    const int times = leaves_every_time() ? parallelism_.micro_batches : 1;
    const bool early = leaves_every_time() || stage.kind->chunks.size() > 1;
    const double before = early ? first : passes - last;
    return std::max(before + times * sums, parallelism_.micro_batches * gathers);
  }

  const Parallelism& parallelism_;
  const StepPieces& pieces_;
  const LayerPieces& layers_;
  const bool alike_;
  const bool splits_;
};

}  // namespace

double least_step(const Plan& plan, const StepPieces& pieces, bool alike) {
  return StepBound(plan, pieces, alike).least();
}

}  // namespace quintet
