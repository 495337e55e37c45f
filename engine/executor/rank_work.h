// What one rank's instructions do to its buffers: kernels at once, communication in two halves,
// with what lies between the instructions of a unit. The walker decides when.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "engine/communication/communication_backend.h"
#include "engine/executor/phase_buffers.h"
#include "engine/executor/state_exchange.h"
#include "engine/operators/operator_table.h"
#include "engine/operators/sample_dealing.h"
#include "engine/replication/replication.h"

namespace quintet::engine {

// Where in its script a rank is.
struct Situation {
  CallIteration at;
  int layer = -1;
  int micro_batch = -1;
  int chunk = 0;
};

// A step's input on one rank: its replica's micro-batches.
struct StepInput {
  std::vector<Batch> micro_batches;
  // In the whole step on all replicas:
  double targets = 1;  // that count: what the loss is a mean of
  SampleWork work{};   // where the samples have lengths of their own
  // The batches are worked on as they are, also where the program deals samples by length.
  bool as_dealt = false;
};

// What a step comes to.
struct StepResult {
  double loss_sum = 0;
  double gradient_norm = 0;  // before clipping; 0: not asked for
  double loss_scale = 1;     // that it was computed with
  bool updated = true;       // false: gradients overflowed
};

// Where the end of an iteration works on buffers, besides throwing them away.
enum class EndWork { none, where_it_ended, where_backward_works };

struct RankWorkInput {
  const Program& program;
  const Script& script;
  RankShape& shape;  // of every micro-batch at hand in turn; outlives the work
  const Shares& shares;
  const StateShape& state_shape;
  const OptimizerSettings& optimizer;
  int replicas = 1;
  int summed = 1;  // replicas whose gradients are summed in every step
  Rank rank{0};
  std::optional<SampleGroup> samples{};  // who deals with this rank by length
  std::vector<int> token_counts{};       // that a device works on where lengths vary
  ReplicationInput replication{};
};

std::size_t first_compute_lane(const Program& program);

class RankWork {
 public:
  RankWork(const RankWorkInput& input, WeightStore& weights, Workplace& place);

  TrainingState& state() { return state_; }
  Replication& replication() { return replication_; }
  // Whether a call of the program is in this step.
  bool is_in_step(const Call& call) const { return replication_.step() % call.every == 0; }
  Float8Maxima& float8_maxima() { return maxima_; }

  void take(const StepInput& input);
  void begin_step();
  // All of the step is queued. The lane goes on after all of it.
  void end_step();
  // Waits for the oldest step that was not awaited; of two that were queued it is the first.
  StepResult await_step();
  // After a pass without backward (forward_only.h), which would have used it up.
  void drop_activations();
  void begin_unit(const Situation& at);
  void end_unit(const Situation& at);
  void compute(const Instruction& instruction, const Situation& at);
  void copy(const Copy& copy, const Situation& at);
  CollectiveCall begin(const Collective& collective, Block block, const Situation& at);
  void end(const Collective& collective, Block block, const Situation& at);
  // The message; it may be dropped when it has been sent.
  Buffer outgoing(const Send& send, const Situation& at);
  // Between stages all micro-batches have as many rows.
  Buffer incoming() { return math_.rows_of(shape_.share(), shape_.hidden()); }
  EndWork end_work(const Situation& at) const;
  void arrived(const Receive& receive, Buffer message, const Situation& at);

 private:
  ResidualStream& residual_stream(const Situation& at) {
    return residual_streams_[{at.micro_batch, at.chunk}];
  }
  const PlacedBatch& batch(const Situation& at) const { return batches_.batch(at.micro_batch); }
  void turn_to(const Situation& at);
  Index loss_rows() const;
  const Call& call(const Situation& at) const {
    return script_.calls[static_cast<std::size_t>(at.at.first)];
  }
  const Body& body(const Situation& at) const { return program_.bodies[call(at).body.index()]; }
  LayerPlace layer(const Situation& at, Pairing pairing = Pairing::alone,
                   Block within = Block::attention);
  EmbeddingPlace embedding(const Situation& at);
  HeadPlace head(const Situation& at, Pairing pairing = Pairing::alone);
  BlockState& block_state(Block block, const Situation& at);

  Buffer& buffer_of(const Collective& collective, Block block, const Situation& at);
  Buffer& partial_outputs(Block block, const Situation& at);
  Buffer& worked_on(const Collective& collective, Block block, const Situation& at);
  ReadBy reader_of(int layer) const;  // the layer's output
  void end_layer(const Situation& at);
  void release(int section);
  void pack_prepared(const Situation& at);

  void update_operator(const Operator& work, const Situation& at);
  Buffer& packed_samples();
  void deal_samples();
  void clip_bucket(const FlatRange& bucket);
  void clip_before_sums();
  void clip_sums(float maximum_norm);
  void tell_clip_factor(kernels::ClipFactor how);
  void note_norm();

  Workplace& place_;
  const Program& program_;
  const Script& script_;
  RankShape& shape_;          // of the micro-batch at hand
  const Index largest_rows_;  // of a micro-batch
  const StateShape state_shape_;
  WeightStore& weights_;
  BufferMath math_;
  Float8Maxima maxima_;
  Float8Math float8_;
  LayerMath layers_;
  EmbeddingMath embeddings_;
  HeadMath heads_;
  BlockExchange blocks_;
  TrainingState state_;
  StateExchange exchange_;
  Replication replication_;
  std::vector<FlatRange> replicated_, tied_;  // summed over tensor ranks; over stages
  int replicas_ = 1, summed_ = 1;
  float bucket_share_ = 1;                    // of the largest norm
  std::map<int, RecomputedPart> recomputed_;  // by layer, where backward repeats anything
  PhaseBuffers phases_;

  std::optional<SampleDealing> dealing_;
  Buffer samples_;  // all that are dealt, on a device
  const StepInput* input_ = nullptr;
  StepBatches batches_;
  std::map<std::pair<int, int>, ResidualStream> residual_streams_;  // by micro-batch and chunk
  std::map<std::pair<int, int>, LayerState> layer_states_;          // by micro-batch and layer
  std::map<int, EmbeddingState> embedding_states_;                  // by micro-batch
  std::map<int, HeadState> head_states_;
  Buffer squared_norm_;            // one number
  Buffer norm_sum_, clip_factor_;  // likewise, the first in double
  Buffer one_replicas_share_;      // of the sum of gradients
  // Each row's loss, of every micro-batch at full length, then the squared norm before clipping.
  Buffer report_;
  struct Queued {
    Index loss_rows = 0;
    bool has_norm = false;
  };
  bool has_norm_ = false;      // it was asked for in this step
  std::deque<Queued> queued_;  // steps that were not awaited
};

}  // namespace quintet::engine
