// What one rank's instructions do to its buffers: kernels at once, communication in two halves,
// with what lies between the instructions of a unit. The walker decides when.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "engine/executor/communicator.h"
#include "engine/executor/hierarchy.h"
#include "engine/executor/operator_table.h"
#include "engine/executor/phase_buffers.h"
#include "engine/executor/script_facts.h"
#include "engine/executor/state_exchange.h"

namespace quintet::engine {

// Where in its script a rank is.
struct Situation {
  CallIteration at;
  int layer = -1;
  int micro_batch = -1;
  int chunk = 0;
  BodyFacts body;
  int occurrence = 0;
};

// A step's input on one rank: its replica's micro-batches.
struct StepInput {
  std::vector<Batch> micro_batches;
  double targets = 1;  // that count, in the whole step on all replicas: what the loss is a mean of
};

struct RankWorkInput {
  const Program& program;
  const Script& script;
  const RankShape& shape;
  const FlatUnits& units;
  const Shares& shares;
  const StateShape& state_shape;
  const OptimizerSettings& optimizer;
  int replicas = 1;
  Rank rank{0};
  const Hierarchy& hierarchy;
};

class RankWork {
 public:
  RankWork(const RankWorkInput& input, WeightStore& weights, kernels::Kernels& kernels);

  TrainingState& state() { return state_; }

  void begin_step(const StepInput& input);
  void begin_unit(const Situation& at);
  void end_unit(const Situation& at);
  void compute(const Instruction& instruction, const Situation& at);
  CollectiveWork begin(const Collective& collective, Block block, const Situation& at);
  void end(const Collective& collective, Block block, const Situation& at);
  // The message; it may be dropped when it has been sent.
  Buffer outgoing(const Send& send, const Situation& at);
  Buffer incoming() const { return {shape_.share() * shape_.hidden(), shape_.type}; }
  void arrived(const Receive& receive, Buffer message, const Situation& at);

  double loss_sum() const { return loss_sum_; }
  double gradient_norm() const { return gradient_norm_; }  // before clipping; 0: not asked for

 private:
  Flow& flow(const Situation& at) { return flows_[{at.micro_batch, at.chunk}]; }
  const Batch& batch(const Situation& at) const;
  LayerPlace layer(const Situation& at);
  EmbeddingPlace embedding(const Situation& at);
  HeadPlace head(const Situation& at);
  BlockState& block_state(Block block, const Situation& at);

  Buffer& buffer_of(const Collective& collective, Block block, const Situation& at);
  Buffer& partial_outputs(Block block, const Situation& at);
  Buffer& worked_on(const Collective& collective, Block block, const Situation& at);
  void end_layer_unit(const Situation& at);
  void pack_prepared(const Situation& at);

  void update_operator(const Operator& work, const Situation& at);
  void measure_norm(const Situation& at);
  void clip(const Situation& at);

  const Program& program_;
  const Script& script_;
  const RankShape& shape_;
  const StateShape state_shape_;
  const FlatUnits& units_;
  ScriptFacts facts_;
  WeightStore& weights_;
  MathTools tools_;
  LayerMath layers_;
  EmbeddingMath embeddings_;
  HeadMath heads_;
  BlockExchange blocks_;
  TrainingState state_;
  StateExchange exchange_;
  std::vector<FlatRange> replicated_, tied_;  // summed over tensor ranks; over stages
  int replicas_ = 1;
  Rank rank_;
  const Hierarchy hierarchy_;
  PhaseBuffers phases_;

  const StepInput* input_ = nullptr;
  std::map<std::pair<int, int>, Flow> flows_;               // by micro-batch and chunk
  std::map<std::pair<int, int>, LayerState> layer_states_;  // by micro-batch and layer
  std::map<int, EmbeddingState> embedding_states_;          // by micro-batch
  std::map<int, HeadState> head_states_;
  Buffer squared_norm_;  // one number
  double loss_sum_ = 0;
  double gradient_norm_ = 0;
};

}  // namespace quintet::engine
