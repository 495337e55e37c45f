// Models that train in no time.
#pragma once

#include <ostream>

#include "sim/model/model.h"

namespace quintet {

// For names of failed tests.
inline void PrintTo(const Model& model, std::ostream* out) {
  *out << model.name;
}

}  // namespace quintet

namespace quintet::engine::test {

inline constexpr int toy_length = 16;

inline Model toy_gpt2() {
  Model model;
  model.name = "toy GPT-2";
  model.family = ModelFamily::gpt2;
  model.layers = 4;
  model.hidden = 32;
  model.heads = model.kv_heads = 4;
  model.head_dim = 8;
  model.feed_forward = 64;
  model.vocabulary = 61;
  model.max_positions = toy_length;
  model.norm = NormKind::layer_norm;
  model.mlp = MlpKind::gelu;
  model.positions = PositionKind::learned;
  model.qkv_bias = model.attention_output_bias = model.mlp_bias = true;
  model.tied_embeddings = true;
  return model;
}

inline Model toy_llama() {
  Model model;
  model.name = "toy Llama";
  model.layers = 4;
  model.hidden = 32;
  model.heads = 8;
  model.kv_heads = 4;
  model.head_dim = 4;
  model.feed_forward = 48;
  model.vocabulary = 61;
  model.max_positions = toy_length;
  return model;
}

inline Model toy_bert() {
  Model model = toy_gpt2();
  model.name = "toy BERT";
  model.family = ModelFamily::bert;
  model.token_types = 2;
  model.mask = MaskKind::bidirectional;
  return model;
}

// As GPT-2's and BERT's config.json ask for.
inline Model with_dropout(Model model) {
  model.name += " with dropout";
  model.dropout = model.attention_dropout = 0.1;
  return model;
}

inline Model toy_mistral() {
  Model model = toy_llama();
  model.name = "toy Mistral";
  model.family = ModelFamily::mistral;
  model.sliding_window = 5;
  return model;
}

inline Model toy_qwen3() {
  Model model = toy_llama();
  model.name = "toy Qwen3";
  model.family = ModelFamily::qwen3;
  model.qk_norm = true;
  return model;
}

}  // namespace quintet::engine::test
