#include "sim/model/model_file.h"

#include "sim/json/json_value.h"

namespace quintet {
namespace {

using Json = JsonValue;

Json gpt2_config(const Model& model) {
  return {{"model_type", "gpt2"},
          {"n_layer", model.layers},
          {"n_embd", model.hidden},
          {"n_head", model.heads},
          {"n_inner", model.feed_forward},
          {"n_positions", model.max_positions},
          {"activation_function", "gelu_new"},
          {"resid_pdrop", model.dropout},
          {"attn_pdrop", model.attention_dropout},
          {"embd_pdrop", model.dropout}};
}

// What all but GPT-2 call by the same names.
Json common_config(const Model& model, const char* type) {
  return {{"model_type", type},
          {"num_hidden_layers", model.layers},
          {"hidden_size", model.hidden},
          {"num_attention_heads", model.heads},
          {"intermediate_size", model.feed_forward},
          {"max_position_embeddings", model.max_positions}};
}

Json bert_config(const Model& model) {
  Json json = common_config(model, "bert");
  json["type_vocab_size"] = model.token_types;
  json["hidden_act"] = "gelu";
  json["hidden_dropout_prob"] = model.dropout;
  json["attention_probs_dropout_prob"] = model.attention_dropout;
  if (model.predicted_share < 1) json["mlm_probability"] = model.predicted_share;
  return json;
}

Json gated_config(const Model& model, const char* type) {
  Json json = common_config(model, type);
  json["hidden_act"] = "silu";
  json["attention_dropout"] = model.attention_dropout;
  return json;
}

Json llama_config(const Model& model) {
  Json json = gated_config(model, "llama");
  json["attention_bias"] = model.qkv_bias;
  json["mlp_bias"] = model.mlp_bias;
  return json;
}

Json mistral_config(const Model& model) {
  Json json = gated_config(model, "mistral");
  json["sliding_window"] = model.sliding_window ? Json(*model.sliding_window) : Json(nullptr);
  return json;
}

Json qwen_config(const Model& model, const char* type, const char* bias) {
  Json json = gated_config(model, type);
  json[bias] = model.qkv_bias;
  json["use_sliding_window"] = model.sliding_window.has_value();
  if (!model.sliding_window) return json;
  json["max_window_layers"] = 0;
  json["sliding_window"] = *model.sliding_window;
  return json;
}

Json family_config(const Model& model) {
  switch (model.family) {
    case ModelFamily::gpt2:
      return gpt2_config(model);
    case ModelFamily::bert:
      return bert_config(model);
    case ModelFamily::llama:
      return llama_config(model);
    case ModelFamily::mistral:
      return mistral_config(model);
    case ModelFamily::qwen2:
      return qwen_config(model, "qwen2", "qkv_bias");
    case ModelFamily::qwen3:
      return qwen_config(model, "qwen3", "attention_bias");
  }
  return {};
}

}  // namespace

std::string config_text(const Model& model) {
  Json json = family_config(model);
  json["num_key_value_heads"] = model.kv_heads;
  json["head_dim"] = model.head_dim;
  json["vocab_size"] = model.vocabulary;
  json["tie_word_embeddings"] = model.tied_embeddings;
  return json.dump(2) + "\n";
}

}  // namespace quintet
