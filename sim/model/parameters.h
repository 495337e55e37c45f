// How many parameters a model has: in all, by tensor, and on one rank of a tensor-parallel group.
// Split as Megatron-LM splits (arXiv 1909.08053): qkv and mlp_up by columns, attention_output and
// mlp_down by rows, embedding and head by vocabulary; norms and the biases after a row split are
// replicated.
#pragma once

#include <cstdint>

#include "sim/model/model.h"

namespace quintet {

struct ParameterSplit {
  int tensor = 1;  // divides heads and feed_forward; kv_heads below it are replicated
  // The vocabulary is padded to a multiple of this times tensor (Megatron-LM:
  // make_vocab_size_divisible_by, 128). 1: no more than the split needs.
  int vocabulary_multiple = 1;
  bool operator==(const ParameterSplit&) const = default;
};

// Rows of the embedding table: the next multiple of vocabulary_multiple times tensor ranks.
std::int64_t padded_vocabulary(const Model& model, const ParameterSplit& split);
// On one tensor rank; at least one key/value head, copied when there are fewer than ranks.
std::int64_t query_heads_per_rank(const Model& model, int tensor);
std::int64_t kv_heads_per_rank(const Model& model, int tensor);

// One transformer layer on one rank.
struct LayerParameters {
  std::int64_t norms = 0;  // both, weights and (layer norm) biases
  std::int64_t qk_norms = 0;
  std::int64_t qkv_weight = 0, qkv_bias = 0;
  std::int64_t attention_output_weight = 0, attention_output_bias = 0;
  std::int64_t mlp_up_weight = 0, mlp_up_bias = 0;
  std::int64_t mlp_down_weight = 0, mlp_down_bias = 0;

  std::int64_t total() const;
  // The same on every tensor rank. Under sequence parallelism their gradients are partial sums
  // that the tensor axis has to add up once per step.
  std::int64_t replicated() const;
  bool operator==(const LayerParameters&) const = default;
};

struct EmbeddingParameters {
  std::int64_t tokens = 0;     // split by vocabulary
  std::int64_t positions = 0;  // learned
  std::int64_t token_types = 0;
  std::int64_t norm = 0;  // BERT
  std::int64_t total() const { return tokens + positions + token_types + norm; }
  bool operator==(const EmbeddingParameters&) const = default;
};

// What follows the last layer. BERT: its pre-training heads (pooler, masked-language transform,
// next-sentence classifier), as in MLPerf.
struct HeadParameters {
  std::int64_t final_norm = 0;       // pre-norm models
  std::int64_t projection = 0;       // hidden to vocabulary; there even when it is the embedding's
  std::int64_t projection_bias = 0;  // BERT
  std::int64_t transform = 0;        // BERT: dense and norm before the projection
  std::int64_t pooler = 0;           // BERT
  std::int64_t classifier = 0;       // BERT: next sentence
  std::int64_t total() const {
    return final_norm + projection + projection_bias + transform + pooler + classifier;
  }
  bool operator==(const HeadParameters&) const = default;
};

LayerParameters layer_parameters(const Model& model, const ParameterSplit& split = {});
EmbeddingParameters embedding_parameters(const Model& model, const ParameterSplit& split = {});
HeadParameters head_parameters(const Model& model, const ParameterSplit& split = {});

// A consecutive part of the model.
struct StagePart {
  int layers = 0;
  bool embedding = false;
  bool head = false;
  bool operator==(const StagePart&) const = default;
};

// On one rank. A tied embedding counts once where embedding and head meet; when they are on
// different stages each has its copy (and their gradients must be added).
std::int64_t stage_parameters(const Model& model, const ParameterSplit& split,
                              const StagePart& part);
// Tensors that the optimizer takes as one (LAMB's trust ratio is of each): what one kernel takes,
// so queries, keys and values together, gate and up together, as Megatron-LM keeps them.
std::int64_t stage_tensors(const Model& model, const StagePart& part);
std::int64_t total_parameters(const Model& model, const ParameterSplit& split = {});

}  // namespace quintet
