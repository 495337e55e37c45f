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
      const double each = micro_batch_of(stage), passes = each * parallelism_.micro_batches;
      least = std::max(least, fill + passes + behind);
      if (has_drain()) least = std::max(least, fill + passes + drain + behind_drain(finish));
      least = std::max(least, fill + exchange_of(stage, passes - each) + end_of(stage));
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
  // What a pass keeps the compute lane from all others, from its first kernel to its last: no
  // collective counts in front of the one nor behind the other, so that its first and its last
  // layer count their kernels alone.
  static double lane(double least, double most_hidden, double kernels) {
    return std::max(kernels, least - 2 * most_hidden);
  }
  static double hidden(const TimedBody& body) { return body.least() - body.kernels(); }
  double forward_lane(const ChunkPieces& part) const {
    const int layers = part.chunk.layers;
    const double kernels = layers * layers_.forward.kernels();
    const double least = layers * body(layers_.forward);
    return lane(least, alike_ ? hidden(layers_.forward) : 0, kernels) +
           (part.chunk.embedding ? layers_.embedding_forward.kernels() : 0) +
           (part.chunk.head ? layers_.head_forward.kernels() : 0);
  }
  double backward_lane(const ChunkPieces& part) const {
    const int kept = part.chunk.layers - part.recomputed;
    const double kernels =
        part.recomputed * layers_.backward.kernels() + kept * layers_.kept_backward.kernels();
    const double most = std::max(hidden(layers_.backward), hidden(layers_.kept_backward));
    return lane(layers_back(part), alike_ ? most : 0, kernels) +
           (part.chunk.embedding ? layers_.embedding_backward.kernels() : 0) +
           (part.chunk.head ? layers_.head_backward.kernels() : 0);
  }
  double weights_lane(const ChunkPieces& part) const {
    if (!splits_) return 0;
    return part.chunk.layers * layers_.weight_gradient.kernels() +
           (part.chunk.head ? layers_.head_weight_gradient.kernels() : 0);
  }
  double micro_batch_of(const StagePieces& stage) const {
    double time = 0;
    for (const ChunkPieces& part : stage.kind->chunks)
      time += forward_lane(part) + backward_lane(part) + weights_lane(part);
    return time;
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
  double exchange_of(const StagePieces& stage, double all_but_one) const {
    double sums = 0, gathers = 0;
    for (const ChunkPieces& part : stage.kind->chunks) {
      for (const BucketPieces& bucket : part.buckets) sums += chain(bucket.sum);
      gathers += 2 * part.chunk.layers * chain(part.gather_layer) + chain(part.gather_embedding) +
                 chain(part.gather_head);
    }
    const int times = leaves_every_time() ? parallelism_.micro_batches : 1;
    const bool early = leaves_every_time() || stage.kind->chunks.size() > 1;
    const double before = early ? forward_lane(stage.kind->chunks.front()) : all_but_one;
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
