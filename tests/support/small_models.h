// The smallest model of each family that has every kind of tensor.
#pragma once

#include <stdexcept>
#include <string>

#include "sim/model/model.h"
#include "sim/model/model_file.h"

namespace quintet {

inline Model model_from(const std::string& config) {
  Result<Model> model = parse_model(config, "config.json");
  if (!model) throw std::runtime_error(model.error().text());
  return *model;
}

// 13 tokens: no split divides them, so every layout pads.
inline Model small_gpt2() {
  return model_from(R"({"model_type": "gpt2", "n_layer": 2, "n_embd": 8, "n_head": 4,
                        "vocab_size": 13, "n_positions": 6})");
}

inline Model small_bert() {
  return model_from(R"({"model_type": "bert", "num_hidden_layers": 2, "hidden_size": 8,
                        "num_attention_heads": 4, "intermediate_size": 12, "vocab_size": 13,
                        "max_position_embeddings": 6, "type_vocab_size": 2})");
}

// Two key/value heads for four query heads, of another width than hidden / heads.
inline Model small_llama() {
  return model_from(R"({"model_type": "llama", "num_hidden_layers": 2, "hidden_size": 8,
                        "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 4,
                        "intermediate_size": 12, "vocab_size": 13, "mlp_bias": true,
                        "attention_bias": true})");
}

inline Model small_qwen3() {
  return model_from(R"({"model_type": "qwen3", "num_hidden_layers": 2, "hidden_size": 8,
                        "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 4,
                        "intermediate_size": 12, "vocab_size": 13, "tie_word_embeddings": true})");
}

}  // namespace quintet
