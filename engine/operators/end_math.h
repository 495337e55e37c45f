// The operators before the first layer and after the last (sim/model/end_operators.cpp lists them).
#pragma once

#include "engine/operators/buffer_math.h"
#include "sim/model/operator.h"

namespace quintet::engine {

struct EmbeddingPlace {
  EmbeddingState& state;
  ResidualStream& residual_stream;
  const PlacedBatch& batch;
  int section = 0;
};

class EmbeddingMath {
 public:
  explicit EmbeddingMath(BufferMath& math) : math_(math), shape_(math.shape()) {}

  void look_up(const EmbeddingPlace& at, Weight table);
  void norm(const EmbeddingPlace& at);
  void dropout(const EmbeddingPlace& at);
  void end_forward(const EmbeddingPlace& at);
  void norm_gradient(const EmbeddingPlace& at);
  void dropout_gradient(const EmbeddingPlace& at);
  void scatter(const EmbeddingPlace& at, Weight table);
  Buffer& gather_gradient(const EmbeddingPlace& at);

 private:
  kernels::VocabularyShard shard(const EmbeddingPlace& at, Weight table) const;
  const std::int32_t* rows_of(const EmbeddingPlace& at, Weight table) const;

  BufferMath& math_;
  const RankShape& shape_;
};

struct HeadPlace {
  HeadState& state;
  ResidualStream& residual_stream;
  const PlacedBatch& batch;
  int section = 0;
  int projection_section = 0;
  Weight projection = Weight::projection;
  float gradient_scale = 1;
  float* losses = nullptr;             // of each row
  const double* loss_scale = nullptr;  // of gradients, where kernels read it; null: none
  Pairing pairing = Pairing::alone;    // of the instruction
  bool paired() const { return pairing != Pairing::alone; }
};

class HeadMath {
 public:
  explicit HeadMath(BufferMath& math) : math_(math), shape_(math.shape()) {}

  void begin_forward(const HeadPlace& at);

  void transform(const HeadPlace& at);
  void transform_activation(const HeadPlace& at);
  void norm(const HeadPlace& at);
  void project(const HeadPlace& at);
  // Exponentials and the targets' logits; where the vocabulary is here whole, all of the loss,
  // whose gradient is then the logits', in one pass over them.
  void loss(const HeadPlace& at);

  void loss_gradient(const HeadPlace& at);
  void project_gradient(const HeadPlace& at);
  void norm_gradient(const HeadPlace& at);
  void transform_activation_gradient(const HeadPlace& at);
  void transform_gradient(const HeadPlace& at);

  void projection_weight(const HeadPlace& at);
  void projection_bias(const HeadPlace& at);
  void transform_weight(const HeadPlace& at);
  void transform_bias(const HeadPlace& at);

 private:
  bool bert() const { return shape_.model.family == ModelFamily::bert; }
  Product transform_size() const;
  // This is the gradient of a bias whose sums come with their product's weight gradient; null: they
  // come apart.
  float* bias_at_once(const HeadPlace& at, Weight bias) const;
  const Buffer& input(const HeadState& state) const;
  bool whole_vocabulary() const { return shape_.tensor_ranks == 1; }
  kernels::CrossEntropyRows rows(const HeadPlace& at) const;
  void maximum(const HeadPlace& at);

  BufferMath& math_;
  const RankShape& shape_;
};

}  // namespace quintet::engine
