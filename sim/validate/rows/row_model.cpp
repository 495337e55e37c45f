#include "sim/validate/rows/row_model.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

namespace quintet {

namespace {

// Shapes that rows name but do not print.
struct KnownShape {
  std::string_view name;  // in lower case, contained in the row's model
  int layers, hidden, heads, kv_heads, ffn, vocab;
  std::string_view source;
};

// Sizes by which the rows of Jean Zay are named: 32 heads all of them.
constexpr std::string_view jean_zay =
    "github bigscience-workshop/bigscience experiments/gpt2-meg/meg_gpt2_perf_n16.slurm";
constexpr std::string_view jean_zay_small =
    "github bigscience-workshop/bigscience experiments/gpt2-16gb-nodes.md";

constexpr KnownShape known_shapes[]{
    {"gpt-1.3b", 24, 2048, 16, 16, 8192, 51200, "arXiv 2005.14165 table 2.1"},
    {"gpt3-125m", 12, 768, 12, 12, 3072, 51200, "arXiv 2005.14165 table 2.1"},
    {"gpt3-355m", 24, 1024, 16, 16, 4096, 51200, "arXiv 2005.14165 table 2.1 (350M)"},
    {"gpt3-760m", 24, 1536, 16, 16, 6144, 51200, "arXiv 2005.14165 table 2.1"},
    {"gpt3-1.3b", 24, 2048, 16, 16, 8192, 51200,
     "github Dao-AILab/flash-attention training/configs (1.3B: 24 layers of 2048, 16 heads)"},
    {"gpt3-2.7b", 32, 2560, 32, 32, 10240, 51200, "arXiv 2005.14165 table 2.1"},
    {"gpt-7.5b", 36, 4096, 32, 32, 16384, 50257, jean_zay},
    {"gpt-18b", 40, 6144, 32, 32, 24576, 50257, jean_zay},
    {"gpt-22b", 32, 8192, 32, 32, 32768, 50257, jean_zay_small},
    {"gpt-25b", 40, 7168, 32, 32, 28672, 50257, jean_zay},
    {"gpt-30b", 48, 7168, 32, 32, 28672, 50257, jean_zay},
    {"gpt-39b", 48, 8192, 32, 32, 32768, 50257, jean_zay},
    {"gpt-50b", 64, 8192, 32, 32, 32768, 50257, jean_zay_small},
    {"gpt-52b", 64, 8192, 32, 32, 32768, 50257, jean_zay},
    {"gpt-65b", 64, 9216, 32, 32, 36864, 50257, jean_zay},
    {"gpt-78b", 64, 10240, 32, 32, 40960, 50257, jean_zay_small},
    {"gpt-116b", 64, 12288, 32, 32, 49152, 50257, jean_zay},
    {"gpt-206b", 64, 16384, 32, 32, 65536, 50257, jean_zay},
    {"gpt-162b", 32, 20480, 128, 128, 81920, 51200, "arXiv 2104.04473 section 5.4 (162.2B)"},
    {"gpt-175b", 96, 12288, 96, 96, 49152, 51200, "arXiv 2005.14165 table 2.1"},
    {"nemotron4-15b", 32, 6144, 48, 8, 24576, 256000, "arXiv 2402.16819 table 1"},
};

const KnownShape* known_shape(const std::string& model) {
  std::string plain = model;
  std::transform(plain.begin(), plain.end(), plain.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  for (const KnownShape& shape : known_shapes)
    if (plain.find(shape.name) != std::string::npos) return &shape;
  return nullptr;
}

// Cells of the row, the known shape's where they are empty.
struct Shape {
  std::optional<int> layers, hidden, heads, kv_heads, ffn, vocab;
};

Shape shape_of(const PublishedRow& row, std::vector<std::string>& remarks) {
  Shape shape{row.layers, row.hidden, row.heads, row.kv_heads, row.ffn, row.vocab};
  const KnownShape* const known = known_shape(row.model);
  if (!shape.layers && !shape.hidden && known) {
    remarks.push_back("shape from " + std::string(known->source));
    shape = {known->layers,   known->hidden, known->heads,
             known->kv_heads, known->ffn,    row.vocab.value_or(known->vocab)};
  }
  return shape;
}

enum class Kind { llama, gpt, mpt, nemotron, bert };

std::optional<Kind> kind_of(const PublishedRow& row) {
  std::string plain = row.arch + " " + row.model;
  std::transform(plain.begin(), plain.end(), plain.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  const auto says = [&](const char* word) { return plain.find(word) != std::string::npos; };
  if (says("gpt/llama-like")) return std::nullopt;
  if (says("bert")) return Kind::bert;
  if (says("nemotron")) return Kind::nemotron;
  if (says("mpt")) return Kind::mpt;
  if (says("llama")) return Kind::llama;
  if (says("gpt")) return Kind::gpt;
  return std::nullopt;
}

void shape_as_gpt(Model& model, const SoftwareStack& stack) {
  model.family = ModelFamily::gpt2;
  model.norm = NormKind::layer_norm;
  model.mlp = MlpKind::gelu;
  model.positions = PositionKind::learned;
  model.qkv_bias = model.attention_output_bias = model.mlp_bias = true;
  model.tied_embeddings = stack.tied_embeddings;
}

// Pre-training reads two segments and predicts the masked words, 15 % (arXiv 1810.04805, 3.1); the
// head sees those only.
void shape_as_bert(Model& model) {
  model.family = ModelFamily::bert;
  model.mask = MaskKind::bidirectional;
  model.token_types = 2;
  model.tied_embeddings = true;
  model.predicted_share = 0.15;
}

// MPT: no biases (github mosaicml/llm-foundry). Nemotron: squared ReLU, rotary, no biases, an
// untied head (arXiv 2402.16819 section 2); its activation moves the same bytes as GELU.
void set_kind(Model& model, Kind kind, const SoftwareStack& stack) {
  if (kind == Kind::llama) return;
  shape_as_gpt(model, stack);
  if (kind == Kind::bert) return shape_as_bert(model);
  if (kind == Kind::gpt) return;
  model.qkv_bias = model.attention_output_bias = model.mlp_bias = false;
  if (kind == Kind::mpt) return;
  model.family = ModelFamily::llama;
  model.positions = PositionKind::rotary;
  model.tied_embeddings = false;
}

}  // namespace

std::variant<Model, std::string> row_model(const PublishedRow& row, const SoftwareStack& stack,
                                           std::vector<std::string>& remarks) {
  const std::optional<Kind> kind = kind_of(row);
  if (!kind) return "the layer of " + (row.arch.empty() ? row.model : row.arch) + " is not known";
  const Shape shape = shape_of(row, remarks);
  if (!shape.layers || !shape.hidden || !shape.heads)
    return std::string("the shape of the model is not published");
  if (!row.seq) return std::string("the sequence length is not published");
  if (*shape.layers < 1 || *shape.hidden < 1 || *shape.heads < 1 || *row.seq < 1)
    return std::string("a size of the model is zero");
  if (!shape.ffn && *kind == Kind::llama)
    return std::string("the width of the gated MLP is not published");
  Model model;
  model.name = row.model;
  model.layers = *shape.layers;
  model.hidden = *shape.hidden;
  model.heads = *shape.heads;
  model.kv_heads = shape.kv_heads.value_or(*shape.heads);
  model.head_dim = (model.hidden + model.heads - 1) / model.heads;
  model.feed_forward = shape.ffn.value_or(4 * model.hidden);
  if (!shape.vocab) remarks.push_back("vocabulary not stated: 51200");
  model.vocabulary = shape.vocab.value_or(51'200);
  model.max_positions = *row.seq;
  model.dropout = stack.dropout;
  model.attention_dropout = stack.attention_dropout;
  if (*kind == Kind::llama) model.dropout = model.attention_dropout = 0;
  // A rate above zero is what makes Quintet run the kernels.
  if (stack.dropout_at_zero_rate) model.dropout = model.attention_dropout = 1e-9;
  if (model.kv_heads < 1 || model.feed_forward < 1 || model.vocabulary < 1)
    return std::string("a size of the model is zero");
  set_kind(model, *kind, stack);
  model.headless = std::any_of(
      stack.headless.begin(), stack.headless.end(),
      [&](const std::string& text) { return row.model.find(text) != std::string::npos; });
  return model;
}

}  // namespace quintet
