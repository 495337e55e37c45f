// What a rank holds of the model: its parameters in order, each made of parts of the model's
// tensors. Tensors are the same for every layout and kept as PyTorch keeps a linear layer,
// [out, in]; a parameter is what one kernel takes: queries, keys and values one below the other,
// gate above up. The split is that of sim/model/parameters.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/files/storage/box.h"
#include "sim/model/model.h"
#include "sim/model/parameters.h"
#include "sim/parallelism/stage_layers.h"

namespace quintet {

enum class Fill { zeros, ones, normal };

struct ParameterTensor {
  std::string name;  // "layers.3.attention.query.weight"
  Shape shape;
  Fill fill = Fill::zeros;
  double deviation = 0.0;  // of Fill::normal
  bool operator==(const ParameterTensor&) const = default;
};

// Which rank answers for a part that several hold: the first saves it.
enum class Holding { first, copy };

struct Slice {
  ParameterTensor tensor;
  Box box;              // of the tensor
  std::int64_t at = 0;  // its first element in the parameter, where it lies in one piece
  Holding holding = Holding::first;
  bool operator==(const Slice&) const = default;
};

enum class ParameterKind {
  token_embedding,
  position_embedding,
  type_embedding,
  embedding_norm_weight,
  embedding_norm_bias,
  attention_norm_weight,
  attention_norm_bias,
  query_norm_weight,
  key_norm_weight,
  qkv_weight,
  qkv_bias,
  attention_output_weight,
  attention_output_bias,
  mlp_norm_weight,
  mlp_norm_bias,
  mlp_up_weight,
  mlp_up_bias,
  mlp_down_weight,
  mlp_down_bias,
  final_norm_weight,
  final_norm_bias,
  transform_weight,  // BERT's head from here on, but for the projection
  transform_bias,
  transform_norm_weight,
  transform_norm_bias,
  projection_weight,
  projection_bias,
  pooler_weight,
  pooler_bias,
  classifier_weight,
  classifier_bias
};

// Over the tensor axis. Of `replicated` ones every rank has all.
enum class TensorSplit { replicated, columns, rows, vocabulary };

struct Parameter {
  ParameterKind kind = ParameterKind::token_embedding;
  int layer = -1;  // of the model; -1 outside of the layers
  Shape shape;     // on this rank
  TensorSplit split = TensorSplit::replicated;
  // Elements in none of them (rows that pad the vocabulary) are zero and stay zero.
  std::vector<Slice> slices;
  bool operator==(const Parameter&) const = default;
};

// Embedding, layers, head. A projection that is the embedding of the same chunk is not listed; that
// of another chunk is a copy of the tensor "embedding.tokens.weight".
std::vector<Parameter> parameters_of(const Model& model, const ParameterSplit& split,
                                     int tensor_rank, const Chunk& chunk);

// All layers, embedding and head: a model that is not cut into stages.
Chunk whole_model(const Model& model);
// Every tensor once.
std::vector<ParameterTensor> tensors_of(const Model& model);

// BERT's embedding tables start with a normal of this deviation, as do all matrices
// (initializer_range of the three families in transformers).
inline constexpr double initial_deviation = 0.02;

}  // namespace quintet
