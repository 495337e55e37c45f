#include "engine/files/weights/hugging_face_names.h"

#include <array>
#include <cassert>
#include <span>
#include <string_view>

namespace quintet {
namespace {

// One of several matrices that the file keeps one below the other (side by side in Conv1D).
enum class Fused { no, first_of_three, second_of_three, third_of_three };

struct NameRow {
  std::string_view ours, theirs;  // "*" stands for the layer
  Orientation orientation = Orientation::as_ours;
  Fused fused = Fused::no;
};

constexpr NameRow gpt2_names[] = {
    {"embedding.tokens.weight", "transformer.wte.weight"},
    {"embedding.positions.weight", "transformer.wpe.weight"},
    {"layers.*.attention_norm.weight", "transformer.h.*.ln_1.weight"},
    {"layers.*.attention_norm.bias", "transformer.h.*.ln_1.bias"},
    {"layers.*.attention.query.weight", "transformer.h.*.attn.c_attn.weight",
     Orientation::transposed, Fused::first_of_three},
    {"layers.*.attention.key.weight", "transformer.h.*.attn.c_attn.weight", Orientation::transposed,
     Fused::second_of_three},
    {"layers.*.attention.value.weight", "transformer.h.*.attn.c_attn.weight",
     Orientation::transposed, Fused::third_of_three},
    {"layers.*.attention.query.bias", "transformer.h.*.attn.c_attn.bias", Orientation::as_ours,
     Fused::first_of_three},
    {"layers.*.attention.key.bias", "transformer.h.*.attn.c_attn.bias", Orientation::as_ours,
     Fused::second_of_three},
    {"layers.*.attention.value.bias", "transformer.h.*.attn.c_attn.bias", Orientation::as_ours,
     Fused::third_of_three},
    {"layers.*.attention.output.weight", "transformer.h.*.attn.c_proj.weight",
     Orientation::transposed},
    {"layers.*.attention.output.bias", "transformer.h.*.attn.c_proj.bias"},
    {"layers.*.mlp_norm.weight", "transformer.h.*.ln_2.weight"},
    {"layers.*.mlp_norm.bias", "transformer.h.*.ln_2.bias"},
    {"layers.*.mlp.up.weight", "transformer.h.*.mlp.c_fc.weight", Orientation::transposed},
    {"layers.*.mlp.up.bias", "transformer.h.*.mlp.c_fc.bias"},
    {"layers.*.mlp.down.weight", "transformer.h.*.mlp.c_proj.weight", Orientation::transposed},
    {"layers.*.mlp.down.bias", "transformer.h.*.mlp.c_proj.bias"},
    {"final_norm.weight", "transformer.ln_f.weight"},
    {"final_norm.bias", "transformer.ln_f.bias"},
    {"head.projection.weight", "lm_head.weight"},
};

constexpr NameRow bert_names[] = {
    {"embedding.tokens.weight", "bert.embeddings.word_embeddings.weight"},
    {"embedding.positions.weight", "bert.embeddings.position_embeddings.weight"},
    {"embedding.types.weight", "bert.embeddings.token_type_embeddings.weight"},
    {"embedding.norm.weight", "bert.embeddings.LayerNorm.weight"},
    {"embedding.norm.bias", "bert.embeddings.LayerNorm.bias"},
    {"layers.*.attention.query.weight", "bert.encoder.layer.*.attention.self.query.weight"},
    {"layers.*.attention.query.bias", "bert.encoder.layer.*.attention.self.query.bias"},
    {"layers.*.attention.key.weight", "bert.encoder.layer.*.attention.self.key.weight"},
    {"layers.*.attention.key.bias", "bert.encoder.layer.*.attention.self.key.bias"},
    {"layers.*.attention.value.weight", "bert.encoder.layer.*.attention.self.value.weight"},
    {"layers.*.attention.value.bias", "bert.encoder.layer.*.attention.self.value.bias"},
    {"layers.*.attention.output.weight", "bert.encoder.layer.*.attention.output.dense.weight"},
    {"layers.*.attention.output.bias", "bert.encoder.layer.*.attention.output.dense.bias"},
    {"layers.*.attention_norm.weight", "bert.encoder.layer.*.attention.output.LayerNorm.weight"},
    {"layers.*.attention_norm.bias", "bert.encoder.layer.*.attention.output.LayerNorm.bias"},
    {"layers.*.mlp.up.weight", "bert.encoder.layer.*.intermediate.dense.weight"},
    {"layers.*.mlp.up.bias", "bert.encoder.layer.*.intermediate.dense.bias"},
    {"layers.*.mlp.down.weight", "bert.encoder.layer.*.output.dense.weight"},
    {"layers.*.mlp.down.bias", "bert.encoder.layer.*.output.dense.bias"},
    {"layers.*.mlp_norm.weight", "bert.encoder.layer.*.output.LayerNorm.weight"},
    {"layers.*.mlp_norm.bias", "bert.encoder.layer.*.output.LayerNorm.bias"},
    {"head.transform.weight", "cls.predictions.transform.dense.weight"},
    {"head.transform.bias", "cls.predictions.transform.dense.bias"},
    {"head.transform_norm.weight", "cls.predictions.transform.LayerNorm.weight"},
    {"head.transform_norm.bias", "cls.predictions.transform.LayerNorm.bias"},
    {"head.projection.weight", "cls.predictions.decoder.weight"},
    {"head.projection.bias", "cls.predictions.bias"},
    {"head.pooler.weight", "bert.pooler.dense.weight"},
    {"head.pooler.bias", "bert.pooler.dense.bias"},
    {"head.classifier.weight", "cls.seq_relationship.weight"},
    {"head.classifier.bias", "cls.seq_relationship.bias"},
};

constexpr NameRow llama_names[] = {
    {"embedding.tokens.weight", "model.embed_tokens.weight"},
    {"layers.*.attention_norm.weight", "model.layers.*.input_layernorm.weight"},
    {"layers.*.attention.query.weight", "model.layers.*.self_attn.q_proj.weight"},
    {"layers.*.attention.query.bias", "model.layers.*.self_attn.q_proj.bias"},
    {"layers.*.attention.key.weight", "model.layers.*.self_attn.k_proj.weight"},
    {"layers.*.attention.key.bias", "model.layers.*.self_attn.k_proj.bias"},
    {"layers.*.attention.value.weight", "model.layers.*.self_attn.v_proj.weight"},
    {"layers.*.attention.value.bias", "model.layers.*.self_attn.v_proj.bias"},
    {"layers.*.attention.query_norm.weight", "model.layers.*.self_attn.q_norm.weight"},
    {"layers.*.attention.key_norm.weight", "model.layers.*.self_attn.k_norm.weight"},
    {"layers.*.attention.output.weight", "model.layers.*.self_attn.o_proj.weight"},
    {"layers.*.attention.output.bias", "model.layers.*.self_attn.o_proj.bias"},
    {"layers.*.mlp_norm.weight", "model.layers.*.post_attention_layernorm.weight"},
    {"layers.*.mlp.gate.weight", "model.layers.*.mlp.gate_proj.weight"},
    {"layers.*.mlp.gate.bias", "model.layers.*.mlp.gate_proj.bias"},
    {"layers.*.mlp.up.weight", "model.layers.*.mlp.up_proj.weight"},
    {"layers.*.mlp.up.bias", "model.layers.*.mlp.up_proj.bias"},
    {"layers.*.mlp.down.weight", "model.layers.*.mlp.down_proj.weight"},
    {"layers.*.mlp.down.bias", "model.layers.*.mlp.down_proj.bias"},
    {"final_norm.weight", "model.norm.weight"},
    {"head.projection.weight", "lm_head.weight"},
};

std::span<const NameRow> rows_of(ModelFamily family) {
  switch (family) {
    case ModelFamily::gpt2:
      return gpt2_names;
    case ModelFamily::bert:
      return bert_names;
    case ModelFamily::llama:
    case ModelFamily::mistral:
    case ModelFamily::qwen2:
    case ModelFamily::qwen3:
      return llama_names;
  }
  return {};
}

// "layers.12.mlp.up.weight" -> "layers.*.mlp.up.weight" and "12".
struct Pattern {
  std::string name, layer;
};

Pattern pattern_of(const std::string& name) {
  constexpr std::string_view beginning = "layers.";
  if (!name.starts_with(beginning)) return {name, ""};
  const std::size_t end = name.find('.', beginning.size());
  return {std::string(beginning) + "*" + name.substr(end),
          name.substr(beginning.size(), end - beginning.size())};
}

std::string replaced(std::string text, std::string_view found, std::string_view replacement) {
  const std::size_t at = text.find(found);
  return at == std::string::npos ? text : text.replace(at, found.size(), replacement);
}

// Files of the bare model (GPT2Model, BertModel, LlamaModel) lack its name; TensorFlow's old names
// for BERT's norms live on in bert-base-uncased.
std::vector<std::string> names_read(const std::string& name) {
  std::vector<std::string> names{name};
  for (const char* prefix : {"transformer.", "bert.", "model."})
    if (name.starts_with(prefix)) names.push_back(name.substr(std::string_view(prefix).size()));
  const std::size_t plain = names.size();
  for (std::size_t i = 0; i < plain; ++i)
    if (names[i].find("LayerNorm.") != std::string::npos)
      names.push_back(replaced(replaced(names[i], "LayerNorm.weight", "LayerNorm.gamma"),
                               "LayerNorm.bias", "LayerNorm.beta"));
  return names;
}

}  // namespace

FileTensor file_tensor(const Model& model, const ParameterTensor& tensor) {
  const Pattern pattern = pattern_of(tensor.name);
  for (const NameRow& row : rows_of(model.family)) {
    if (row.ours != pattern.name) continue;
    FileTensor found{.names = names_read(replaced(std::string(row.theirs), "*", pattern.layer)),
                     .orientation = row.orientation,
                     .shape = tensor.shape};
    if (row.fused == Fused::no) return found;
    found.shape[0] *= 3;
    found.first_row = (static_cast<std::int64_t>(row.fused) - 1) * tensor.shape[0];
    return found;
  }
  assert(false && "every tensor of parameters_of has a row");
  return {};
}

bool needs_no_reading(const Model& model, const std::string& name) {
  constexpr std::array<std::string_view, 4> buffers{".attn.bias", ".attn.masked_bias",
                                                    "position_ids", "rotary_emb.inv_freq"};
  for (const std::string_view buffer : buffers)
    if (name.ends_with(buffer)) return true;
  // This has the same value as cls.predictions.bias.
  if (name == "cls.predictions.decoder.bias") return true;
  return model.tied_embeddings &&
         (name == "lm_head.weight" || name == "cls.predictions.decoder.weight");
}

}  // namespace quintet
