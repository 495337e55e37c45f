#include "sim/model/model_family.h"

#include <array>
#include <string>
#include <string_view>

#include "sim/base/shown_text.h"
#include "sim/json/json_fields.h"

namespace quintet {
namespace {

using Json = nlohmann::json;

struct FamilyName {
  std::string_view model_type;
  std::string_view architecture;  // how the entries of "architectures" begin
  ModelFamily family;
};

constexpr std::array<FamilyName, 6> family_names{{
    {"gpt2", "GPT2", ModelFamily::gpt2},
    {"bert", "Bert", ModelFamily::bert},
    {"llama", "Llama", ModelFamily::llama},
    {"mistral", "Mistral", ModelFamily::mistral},
    {"qwen2", "Qwen2", ModelFamily::qwen2},
    {"qwen3", "Qwen3", ModelFamily::qwen3},
}};

constexpr std::string_view accepted_families =
    "gpt2, bert, llama, mistral, qwen2 and qwen3 (dense) are modelled";

// Keys that only a kind of model we do not have carries.
struct ForeignKey {
  std::string_view key;
  std::string_view kind;
};

constexpr std::array<ForeignKey, 12> foreign_keys{{
    {"num_local_experts", "mixture of experts"},
    {"num_experts", "mixture of experts"},
    {"n_routed_experts", "mixture of experts"},
    {"num_routed_experts", "mixture of experts"},
    {"num_experts_per_tok", "mixture of experts"},
    {"moe_intermediate_size", "mixture of experts"},
    {"kv_lora_rank", "multi-head latent attention"},
    {"q_lora_rank", "multi-head latent attention"},
    {"linear_num_key_heads", "linear attention"},
    {"full_attention_interval", "linear attention"},
    {"text_config", "several modalities"},
    {"vision_config", "several modalities"},
}};

void refuse_foreign(JsonObject& config) {
  for (const ForeignKey& foreign : foreign_keys)
    if (const Json* const value = config.raw(foreign.key); value != nullptr && *value != 0)
      config.fail(foreign.key, "belongs to a model with " + std::string(foreign.kind) +
                                   ", which is not modelled; " + std::string(accepted_families));
}

std::optional<ModelFamily> family_of_type(JsonObject& config) {
  const std::string type = config.text("model_type");
  for (const FamilyName& name : family_names)
    if (type == name.model_type) return name.family;
  config.fail("model_type", "found " + in_quotes(type) + ", which is not modelled; " +
                                std::string(accepted_families));
  return std::nullopt;
}

// The class name goes on with a capital: "Qwen2ForCausalLM", but not "Qwen2MoeForCausalLM".
bool names_class(const std::string& architecture, std::string_view family) {
  constexpr std::array<std::string_view, 4> continuations{"For", "Model", "LMHead", "DoubleHeads"};
  if (!architecture.starts_with(family)) return false;
  const std::string_view rest = std::string_view(architecture).substr(family.size());
  for (const std::string_view continuation : continuations)
    if (rest.starts_with(continuation)) return true;
  return false;
}

std::optional<ModelFamily> family_of_architecture(JsonObject& config) {
  const Json* const names = config.raw("architectures");
  if (!names->is_array() || names->empty() || !names->front().is_string()) {
    config.fail("architectures",
                "expected an array of class names, such as [\"LlamaForCausalLM\"]");
    return std::nullopt;
  }
  const std::string first = names->front().get<std::string>();
  for (const FamilyName& name : family_names)
    if (names_class(first, name.architecture)) return name.family;
  config.fail("architectures", "found " + in_quotes(first) + ", which is not modelled; " +
                                   std::string(accepted_families));
  return std::nullopt;
}

// Files without either name exist (Morizeyao/GPT2-Chinese, NVIDIA's BERT examples).
std::optional<ModelFamily> family_of_keys(JsonObject& config) {
  if (config.has("n_embd")) return ModelFamily::gpt2;
  if (config.has("type_vocab_size")) return ModelFamily::bert;
  if (config.has("rms_norm_eps")) return ModelFamily::llama;
  config.fail("model_type",
              "is missing, and no key tells the family; " + std::string(accepted_families));
  return std::nullopt;
}

}  // namespace

std::optional<ModelFamily> family_of(JsonObject& config) {
  refuse_foreign(config);
  if (config.failed()) return std::nullopt;
  if (config.has("model_type")) return family_of_type(config);
  if (config.has("architectures")) return family_of_architecture(config);
  return family_of_keys(config);
}

}  // namespace quintet
