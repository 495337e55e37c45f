// Models whose figures are published, by name.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

#include "sim/model/model.h"
#include "sim/model/model_file.h"

namespace quintet {

inline std::filesystem::path shipped_file(const std::string& name) {
  return std::filesystem::path(QUINTET_SOURCE_DIR) / "traces/models" / name / "config.json";
}

// One of traces/models.
inline Model shipped(const std::string& name) {
  const Result<Model> model = read_model(shipped_file(name));
  if (!model) throw std::runtime_error(model.error().text());
  return *model;
}

// A GPT of Megatron-LM: heads of hidden / heads, MLP four times as wide, vocabulary 51,200.
inline Model megatron_gpt(int layers, int hidden, int heads) {
  Model model = shipped("gpt-3-175b");
  model.layers = layers;
  model.hidden = hidden;
  model.heads = model.kv_heads = heads;
  model.head_dim = hidden / heads;
  model.feed_forward = 4 * hidden;
  return model;
}

// A Llama without grouped queries, as in the first generation.
inline Model llama(int layers, int hidden, int heads, int feed_forward, int vocabulary) {
  Model model = shipped("llama-3-8b");
  model.layers = layers;
  model.hidden = hidden;
  model.heads = model.kv_heads = heads;
  model.head_dim = hidden / heads;
  model.feed_forward = feed_forward;
  model.vocabulary = vocabulary;
  return model;
}

inline Model llama_405b() {
  Model model = llama(126, 16384, 128, 53248, 128256);
  model.kv_heads = 8;
  return model;
}

}  // namespace quintet
