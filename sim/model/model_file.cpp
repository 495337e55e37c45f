#include "sim/model/model_file.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <vector>

#include "sim/base/shown_text.h"
#include "sim/base/text_file.h"
#include "sim/json/json_fields.h"
#include "sim/model/model_family.h"

namespace quintet {
namespace {

using Json = nlohmann::json;

// Far above any published model, and small enough that the parameters of all layers together fit
// 64-bit integers: 1e4 layers of 2^20 by 2^22, five times.
constexpr int most_layers = 10'000;
constexpr int most_hidden = 1 << 20;
constexpr int most_heads = 1 << 16;
constexpr int most_head_dim = 1 << 14;
constexpr int most_attention_width = 1 << 22;
constexpr int most_feed_forward = 1 << 22;
constexpr int most_vocabulary = 1 << 24;
constexpr int most_positions = 1 << 30;

// In a config.json null says the same as a missing key, with the one exception read before.
Json without_nulls(Json json) {
  if (!json.is_object()) return json;
  for (auto entry = json.begin(); entry != json.end();)
    entry = entry->is_null() ? json.erase(entry) : std::next(entry);
  return json;
}

double share(JsonObject& config, std::string_view key, double fallback) {
  const double value = config.number_or(key, fallback);
  if (value < 0 || value >= 1) config.fail(key, "expected a share from 0 to below 1");
  return value;
}

void require_activation(JsonObject& config, std::string_view key, std::string_view fallback,
                        const std::vector<std::string_view>& accepted) {
  const std::string found = config.text_or(key, std::string(fallback));
  std::string names;
  for (const std::string_view name : accepted) {
    if (found == name) return;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  config.fail(key, "found " + in_quotes(found) + "; this family is modelled with " + names);
}

// head_dim is trusted when given: it need not be hidden / heads (Qwen3).
int head_dim_of(JsonObject& config, const Model& model, std::string_view heads_key) {
  if (config.failed()) return 0;
  if (config.has("head_dim")) return config.integer("head_dim", 1, most_head_dim);
  if (model.hidden % model.heads != 0)
    config.fail(heads_key,
                fmt::format("{} heads do not divide the width {}; give head_dim, or heads that do",
                            model.heads, model.hidden));
  return model.hidden / model.heads;
}

void check_attention(JsonObject& config, const Model& model, std::string_view heads_key) {
  if (config.failed()) return;
  if (model.heads % model.kv_heads != 0)
    config.fail("num_key_value_heads", fmt::format("{} do not divide the {} attention heads",
                                                   model.kv_heads, model.heads));
  if (std::int64_t{model.heads} * model.head_dim > most_attention_width)
    config.fail(heads_key, fmt::format("heads times head width is above {}", most_attention_width));
}

struct WidthKeys {
  std::string_view layers, hidden, heads;
};

void read_widths(JsonObject& config, const WidthKeys& keys, Model& model) {
  model.layers = config.integer(keys.layers, 1, most_layers);
  model.hidden = config.integer(keys.hidden, 1, most_hidden);
  model.heads = config.integer(keys.heads, 1, most_heads);
  model.kv_heads = config.integer_or("num_key_value_heads", model.heads, 1, most_heads);
  model.head_dim = head_dim_of(config, model, keys.heads);
  model.vocabulary = config.integer("vocab_size", 1, most_vocabulary);
  check_attention(config, model, keys.heads);
}

// GPT-2 and BERT: layer norm, GELU, learned positions, a bias everywhere.
Model biased_model() {
  Model model;
  model.norm = NormKind::layer_norm;
  model.mlp = MlpKind::gelu;
  model.positions = PositionKind::learned;
  model.qkv_bias = model.attention_output_bias = model.mlp_bias = true;
  return model;
}

// Defaults: transformers, configuration_gpt2.py.
Model read_gpt2(JsonObject& config) {
  Model model = biased_model();
  read_widths(config, {.layers = "n_layer", .hidden = "n_embd", .heads = "n_head"}, model);
  model.feed_forward = config.integer_or("n_inner", 4 * model.hidden, 1, most_feed_forward);
  model.max_positions = config.has("n_positions") ? config.integer("n_positions", 1, most_positions)
                                                  : config.integer("n_ctx", 1, most_positions);
  model.tied_embeddings = config.boolean_or("tie_word_embeddings", true);
  model.dropout = share(config, "resid_pdrop", 0.1);
  model.attention_dropout = share(config, "attn_pdrop", 0.1);
  require_activation(config, "activation_function", "gelu_new",
                     {"gelu_new", "gelu", "gelu_fast", "gelu_pytorch_tanh"});
  return model;
}

constexpr WidthKeys common_widths{
    .layers = "num_hidden_layers", .hidden = "hidden_size", .heads = "num_attention_heads"};

// Defaults: transformers, configuration_bert.py.
Model read_bert(JsonObject& config) {
  Model model = biased_model();
  read_widths(config, common_widths, model);
  model.mask = MaskKind::bidirectional;
  model.feed_forward = config.integer("intermediate_size", 1, most_feed_forward);
  model.max_positions = config.integer("max_position_embeddings", 1, most_positions);
  model.token_types = config.integer_or("type_vocab_size", 2, 0, most_vocabulary);
  model.tied_embeddings = config.boolean_or("tie_word_embeddings", true);
  model.dropout = share(config, "hidden_dropout_prob", 0.1);
  model.attention_dropout = share(config, "attention_probs_dropout_prob", 0.1);
  if (config.has("mlm_probability")) model.predicted_share = share(config, "mlm_probability", 0);
  if (model.predicted_share <= 0) config.fail("mlm_probability", "expected a share above 0");
  require_activation(config, "hidden_act", "gelu", {"gelu", "gelu_new", "gelu_pytorch_tanh"});
  require_activation(config, "position_embedding_type", "absolute", {"absolute"});
  return model;
}

// The widths common to Llama, Mistral and Qwen. Context lengths are transformers' defaults.
Model read_gated(JsonObject& config, int default_positions) {
  Model model;
  read_widths(config, common_widths, model);
  model.feed_forward = config.integer("intermediate_size", 1, most_feed_forward);
  model.max_positions =
      config.integer_or("max_position_embeddings", default_positions, 1, most_positions);
  model.tied_embeddings = config.boolean_or("tie_word_embeddings", false);
  model.attention_dropout = share(config, "attention_dropout", 0.0);
  require_activation(config, "hidden_act", "silu", {"silu", "swish"});
  return model;
}

Model read_llama(JsonObject& config) {
  Model model = read_gated(config, 2048);
  model.qkv_bias = model.attention_output_bias = config.boolean_or("attention_bias", false);
  model.mlp_bias = config.boolean_or("mlp_bias", false);
  return model;
}

enum class WindowKey { absent, given };

// A missing window means 4096 (configuration_mistral.py), null means none.
Model read_mistral(JsonObject& config, WindowKey window) {
  Model model = read_gated(config, 131'072);
  if (config.has("sliding_window"))
    model.sliding_window = config.integer("sliding_window", 1, most_positions);
  else if (window == WindowKey::absent)
    model.sliding_window = 4096;
  return model;
}

// Qwen names a window and mostly switches it off. When on, the first max_window_layers see
// everything; a mixture of both does not fit one Model.
std::optional<int> qwen_window(JsonObject& config, int layers) {
  if (!config.boolean_or("use_sliding_window", false)) return std::nullopt;
  const int full_layers = config.integer_or("max_window_layers", 28, 0, most_layers);
  if (full_layers >= layers) return std::nullopt;
  if (full_layers > 0)
    config.fail("max_window_layers",
                "layers with and without a sliding window are not modelled; "
                "accepted are 0, or num_hidden_layers");
  return config.integer_or("sliding_window", 4096, 1, most_positions);
}

// Qwen2 has biases on q, k, v by design (modeling_qwen2.py), Qwen3 by choice, and qk norms.
Model read_qwen(JsonObject& config, ModelFamily family) {
  Model model = read_gated(config, 32'768);
  model.sliding_window = qwen_window(config, model.layers);
  if (family == ModelFamily::qwen2) {
    model.qkv_bias = config.boolean_or("qkv_bias", true);
  } else {
    model.qk_norm = true;
    model.qkv_bias = model.attention_output_bias = config.boolean_or("attention_bias", false);
  }
  return model;
}

Model read_family(JsonObject& config, ModelFamily family, WindowKey window) {
  switch (family) {
    case ModelFamily::gpt2:
      return read_gpt2(config);
    case ModelFamily::bert:
      return read_bert(config);
    case ModelFamily::llama:
      return read_llama(config);
    case ModelFamily::mistral:
      return read_mistral(config, window);
    case ModelFamily::qwen2:
    case ModelFamily::qwen3:
      return read_qwen(config, family);
  }
  return {};
}

// ".../llama-3-70b/config.json" is called llama-3-70b, "gpt2.json" gpt2.
std::string name_from(const std::filesystem::path& file) {
  const std::string stem = file.stem().string();
  const std::string folder = file.parent_path().filename().string();
  return stem == "config" && !folder.empty() ? folder : stem;
}

}  // namespace

Result<Model> parse_model(const std::string& text, const std::string& where) {
  const Result<Json> parsed = parse_json(text, where);
  if (!parsed) return parsed.error();
  const WindowKey window = parsed->is_object() && parsed->contains("sliding_window")
                               ? WindowKey::given
                               : WindowKey::absent;
  const Json json = without_nulls(*parsed);
  JsonObject config(json, where);
  const std::optional<ModelFamily> family = family_of(config);
  if (!family) return *config.error();
  Model model = read_family(config, *family, window);
  if (config.failed()) return *config.error();
  model.family = *family;
  model.name = name_from(where);
  return model;
}

Result<Model> read_model(const std::filesystem::path& file) {
  const Result<std::string> text = read_text_file(file);
  if (!text) return text.error();
  return parse_model(*text, file.string());
}

}  // namespace quintet
