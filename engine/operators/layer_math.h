// The operators of one transformer layer on one rank (sim/model/layer_operators.h says in which
// order they come), and the buffers that the tensor axis's collectives work on. Attention block and
// MLP block have the same norm, residual and bias code.
#pragma once

#include <array>

#include "engine/operators/buffer_math.h"
#include "engine/operators/float8_math.h"
#include "sim/model/operator.h"

namespace quintet::engine {

enum class BlockName { attention, mlp };

// What reads a layer's output: a norm of this rank, at once, or something else.
enum class ReadBy { norm, other };

// One layer and one micro-batch.
struct LayerPlace {
  LayerState& state;
  ResidualStream& residual_stream;
  const PlacedBatch& batch;
  int section = 0;
  int layer = 0;
  ReadBy next = ReadBy::other;              // the layer's output
  Pairing pairing = Pairing::alone;         // of the instruction
  BlockName within = BlockName::attention;  // likewise
  bool paired() const { return pairing != Pairing::alone; }
  BlockState& block(BlockName name) const {
    return name == BlockName::attention ? state.attention : state.mlp;
  }
};

// How its rows become codes in fp8: float8_math.h.
class LayerMath {
 public:
  LayerMath(BufferMath& math, Float8Math& float8);

  // Around the layer's own instructions.
  void begin_forward(const LayerPlace& at);
  void begin_again(const LayerPlace& at);  // forward repeated from kept_input
  void end_forward(const LayerPlace& at);
  // What its backward begins with, once the layer's first kernel has run.
  const Buffer& input(const LayerPlace& at) const;
  void keep_input_only(const LayerPlace& at);  // here, or where it was copied to
  void drop_core(const LayerPlace& at);

  // In fp8: the instruction in front of a product, whose operand becomes codes; and this rank's
  // rows before they are gathered, unless they are codes already.
  void cast_input(const LayerPlace& at);
  void cast_gradient(const LayerPlace& at);
  void pack_input(const LayerPlace& at, BlockName name);
  void pack_gradient(const LayerPlace& at, BlockName name);

  void norm(const LayerPlace& at, BlockName name);
  void qkv(const LayerPlace& at);
  void head_norms(const LayerPlace& at);  // of queries and keys
  void rotary(const LayerPlace& at);
  void attention(const LayerPlace& at);
  // Unfused, in this order (unfused_attention.cpp).
  void copy_heads(const LayerPlace& at);
  void scores(const LayerPlace& at);
  void softmax(const LayerPlace& at);
  void drop_scores(const LayerPlace& at);
  void mix_values(const LayerPlace& at);
  void attention_output(const LayerPlace& at);
  void mlp_up(const LayerPlace& at);
  void mlp_activation(const LayerPlace& at);
  void mlp_down(const LayerPlace& at);
  void residual(const LayerPlace& at, BlockName name);

  void norm_gradient(const LayerPlace& at, BlockName name);
  void residual_gradient(const LayerPlace& at, BlockName name);
  void dropout_gradient(const LayerPlace& at, BlockName name);
  void mlp_down_gradient(const LayerPlace& at);
  void mlp_activation_gradient(const LayerPlace& at);
  void mlp_up_gradient(const LayerPlace& at);
  void attention_output_gradient(const LayerPlace& at);
  void attention_gradient(const LayerPlace& at);
  // Unfused, in this order.
  void probability_gradient(const LayerPlace& at);
  void value_gradient(const LayerPlace& at);
  void drop_scores_gradient(const LayerPlace& at);
  void softmax_gradient(const LayerPlace& at);
  void query_gradient(const LayerPlace& at);
  void key_gradient(const LayerPlace& at);
  void copy_heads_gradient(const LayerPlace& at);
  void rotary_gradient(const LayerPlace& at);
  void head_norms_gradient(const LayerPlace& at);
  void qkv_gradient(const LayerPlace& at);

  void mlp_down_weight(const LayerPlace& at);
  void mlp_up_weight(const LayerPlace& at);
  void attention_output_weight(const LayerPlace& at);
  void qkv_weight(const LayerPlace& at);
  void row_bias(const LayerPlace& at, BlockName name);
  void mlp_up_bias(const LayerPlace& at);
  void qkv_bias(const LayerPlace& at);

 private:
  // Queries, or keys, with their norm.
  struct Heads {
    Weight weight = Weight::query_norm;
    Index first = 0, count = 0;  // element in a row of all heads; heads
    Buffer& inverse;
  };
  std::array<Heads, 2> heads_of(const LayerPlace& at) const;
  // The products with weights, in either arithmetic (layer_products.cpp).
  Product size_of(LayerProduct which) const;
  kernels::ConstTensor weight_of(const LayerPlace& at, LayerProduct which) const;
  const Buffer& input_of(const LayerPlace& at, LayerProduct which) const;
  const Buffer& gradient_of(const LayerPlace& at, LayerProduct which) const;
  Float8Source source(const LayerPlace& at, LayerProduct which, Factor factor,
                      const Buffer& values) const;
  void encode_gathered(const LayerPlace& at, LayerProduct which, Factor factor, Turned turned,
                       Float8Operand& made);
  void encode_input(const LayerPlace& at, LayerProduct which);
  void encode_gradient(const LayerPlace& at, LayerProduct which);
  void multiply(const LayerPlace& at, LayerProduct which, kernels::ConstTensor bias, Buffer& y);
  void multiply_gradient(const LayerPlace& at, LayerProduct which, Buffer& dx);
  void add_weight_gradient(const LayerPlace& at, LayerProduct which, float* bias_gradient);
  bool fuses(const LayerPlace& at) const { return !float8_.on() && math_.fuses(at.paired()); }
  NormWeights norm_of(const LayerPlace& at, BlockName name) const;
  const Buffer& column_input(const BlockState& block) const;
  const Buffer& row_gradient(const BlockState& block) const;
  // Whether the first of the pair's instructions does both.
  bool gelu_at_once(const LayerPlace& at) const;
  float* row_bias_at_once(const LayerPlace& at, BlockName name) const;  // or null
  float* column_bias_at_once(const LayerPlace& at, Weight bias) const;
  float* bias_gradient_of(const LayerPlace& at, BlockName name) const;
  Dropped dropped(const LayerPlace& at, BlockName name) const;
  void take_gradient(const LayerPlace& at, BlockName name);
  // The bias of a row product, where no sum over ranks comes in between; no memory: it comes after.
  kernels::ConstTensor bias_of_product(const LayerPlace& at, Weight bias) const;
  void rotate(const LayerPlace& at, Buffer& rows, kernels::RotaryDirection direction);
  kernels::AttentionLayout attention_layout(const LayerPlace& at) const;

  // Where unfused attention finds the keys or values of a query head: element and row stride.
  struct HeadColumns {
    Index first = 0, stride = 0;
    Index at(Index row) const { return first + row * stride; }
  };
  enum class Operand { key, value };
  bool grouped() const { return shape_.sizes.kv_heads != shape_.sizes.heads; }
  HeadColumns columns_of(Operand operand, Index head) const;
  Buffer score_buffer();
  void copy_columns(const Buffer& from, Index from_width, Index from_column, Buffer& to,
                    Index to_width, Index to_column);
  void drop_in_heads(const LayerPlace& at, const Buffer& from, Buffer& to);

  BufferMath& math_;
  Float8Math& float8_;
  const RankShape& shape_;
  Buffer cosines_, sines_;  // [positions, head_dim / 2]
};

// This is the gradient of what the block computed, without what went past it.
const Buffer& branch_gradient(const BlockState& block);

// The block's buffers between its collectives and products; used for the head too.
class BlockExchange {
 public:
  BlockExchange(Workplace& place, const RankShape& shape) : place_(place), shape_(shape) {}
  // Before the collective: the buffer it works on. After: what is left of it.
  Buffer& gather_input(BlockState& block) const;
  Buffer& gather_gradient(BlockState& block, ResidualStream& residual_stream) const;
  void keep_share(Buffer& reduced) const;

 private:
  Workplace& place_;
  const RankShape& shape_;
};

}  // namespace quintet::engine
