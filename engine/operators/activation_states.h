// What a rank keeps of a micro-batch between its passes.
#pragma once

#include <array>

#include "engine/device/buffer.h"
#include "engine/parameters/float8_maxima.h"

namespace quintet::engine {

// A sum that nobody has made yet: the norm that reads it makes it on its way.
struct PendingSum {
  const Buffer* base = nullptr;  // kept by whoever made it
  Buffer addend;
  bool empty() const { return addend.empty(); }
};

// The residual stream between instructions of different layers and stages.
struct ResidualStream {
  Buffer hidden;       // [share, hidden]
  PendingSum pending;  // instead of `hidden`, within a stage
  Buffer gradient;     // [share, hidden]
};

struct NormState {
  Buffer input;                    // [share, hidden]
  Buffer mean, inverse_deviation;  // [share], fp32
};

// A factor of products in fp8: as it lies, and turned, each with its scales.
struct Float8Codes {
  Buffer codes, scales;
};
struct Float8Operand {
  Float8Codes straight, turned;
  Buffer maximum;  // what a scale for all of it is made of
};

// Attention or MLP with its norm and residual. "gathered": all rows, where the sequence is split.
struct BlockState {
  NormState norm;
  Buffer input;              // of the column product
  Buffer gathered_input;     // likewise, all rows; in fp8 with the scales of each rank's
  Buffer packed_input;       // this rank's part of that, in fp8
  Buffer product;            // of the row product: all rows, then (reduced) the share
  Buffer gradient;           // of the block's output, share
  Buffer branch_gradient;    // likewise, before the dropout that the residual goes past
  Buffer gathered_gradient;  // likewise, all rows; in fp8 as gathered_input
  Buffer packed_gradient;    // this rank's part of that, in fp8
  Buffer input_gradient;     // of the column product's input: all rows, then the share
};

// Unfused attention. Scores of sequence after sequence, in each head after head: [queries, keys].
struct UnfusedState {
  Buffer key_value;  // [rows, 2 query_width], where several query heads share a key head
  Buffer probabilities;
  Buffer dropped;  // probabilities after dropout, where there is any
  Buffer key_value_gradient;
  Buffer score_gradient;
};

struct LayerState {
  Buffer kept_input;   // of the layer, where all else is computed again
  Buffer host_input;   // the same in the host's memory, where the program copies it there
  Buffer stream;       // the residual stream within the layer
  PendingSum pending;  // likewise
  BlockState attention, mlp;
  Buffer qkv, core, log_sum_exp;  // query, key and value rows; attention's output
  Buffer raw_heads;               // query and key rows before their norms
  Buffer query_inverse, key_inverse;
  Buffer core_gradient, qkv_gradient;
  UnfusedState unfused;
  Buffer up, activated;
  Buffer activated_gradient, up_gradient;
  std::array<Float8Operand, layer_products> inputs, gradients;  // in fp8, by product
};

struct EmbeddingState {
  Buffer sum;  // [rows, hidden], then the share
  NormState norm;
  Buffer gathered_gradient;
};

struct HeadState {
  Buffer transform_input, transformed;            // BERT: before and after the dense product
  Buffer transform_gradient;                      // of `transformed`
  BlockState block;                               // its norm, input and gradients
  Buffer logits;                                  // [rows, vocabulary here]; then their gradient
  Buffer maximum, exponential_sum, target_logit;  // [rows], fp32: what is reduced
};

}  // namespace quintet::engine
