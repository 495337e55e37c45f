// What is trained: a dense transformer, as its Hugging Face config.json describes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace quintet {

enum class ModelFamily { gpt2, bert, llama, mistral, qwen2, qwen3 };
enum class NormKind { layer_norm, rms_norm };
enum class MlpKind { gelu, gated_silu };  // two matrices, or three (SwiGLU)
enum class PositionKind { learned, rotary };
enum class MaskKind { causal, bidirectional };

struct Model {
  std::string name;
  ModelFamily family = ModelFamily::llama;
  int layers = 0;
  int hidden = 0;        // width of the residual stream
  int heads = 0;         // query heads
  int kv_heads = 0;      // key/value heads; fewer than heads: grouped-query attention
  int head_dim = 0;      // not always hidden / heads
  int feed_forward = 0;  // width between the MLP matrices
  int vocabulary = 0;
  int max_positions = 0;  // rows of the learned position table; the context length otherwise
  int token_types = 0;    // BERT segment embeddings
  NormKind norm = NormKind::rms_norm;
  MlpKind mlp = MlpKind::gated_silu;
  PositionKind positions = PositionKind::rotary;
  MaskKind mask = MaskKind::causal;
  bool qkv_bias = false;
  bool attention_output_bias = false;
  bool mlp_bias = false;
  bool qk_norm = false;          // Qwen3: RMSNorm over each head of q and k
  bool tied_embeddings = false;  // the output head shares the token embedding
  bool headless = false;  // no output head: the loss takes the final norm's columns as logits
  double predicted_share = 1.0;  // BERT: of the positions, those whose words the head predicts
  std::optional<int> sliding_window;
  double dropout = 0.0;            // after embedding, attention and MLP
  double attention_dropout = 0.0;  // of the attention probabilities

  bool operator==(const Model&) const = default;
};

}  // namespace quintet
