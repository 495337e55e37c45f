#include "sim/model/model_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "tests/support/known_models.h"

namespace quintet {
namespace {

const std::filesystem::path samples =
    std::filesystem::path(QUINTET_SOURCE_DIR) / "../shared/samples/hf-config";

// A complete Llama config; `more` is appended and may repeat nothing.
std::string llama_text(const std::string& more) {
  return R"({"model_type": "llama", "num_hidden_layers": 2, "hidden_size": 64, "vocab_size": 100,
             "intermediate_size": 128)" +
         more + "}";
}

Model parsed(const std::string& text) {
  const Result<Model> model = parse_model(text, "small/config.json");
  EXPECT_TRUE(model.has_value()) << (model ? "" : model.error().text());
  return model ? *model : Model{};
}

std::string complaint(const std::string& text) {
  const Result<Model> model = parse_model(text, "config.json");
  return model ? "accepted" : model.error().text();
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(ModelFile, LlamaIsRead) {
  const Model expected{.name = "llama-3-70b",
                       .family = ModelFamily::llama,
                       .layers = 80,
                       .hidden = 8192,
                       .heads = 64,
                       .kv_heads = 8,
                       .head_dim = 128,
                       .feed_forward = 28672,
                       .vocabulary = 128256,
                       .max_positions = 8192};
  EXPECT_EQ(shipped("llama-3-70b"), expected);
}

TEST(ModelFile, Gpt2IsReadWithItsOwnKeys) {
  const Model expected{.name = "gpt2",
                       .family = ModelFamily::gpt2,
                       .layers = 12,
                       .hidden = 768,
                       .heads = 12,
                       .kv_heads = 12,
                       .head_dim = 64,
                       .feed_forward = 3072,
                       .vocabulary = 50257,
                       .max_positions = 1024,
                       .norm = NormKind::layer_norm,
                       .mlp = MlpKind::gelu,
                       .positions = PositionKind::learned,
                       .qkv_bias = true,
                       .attention_output_bias = true,
                       .mlp_bias = true,
                       .tied_embeddings = true,
                       .dropout = 0.1,
                       .attention_dropout = 0.1};
  EXPECT_EQ(shipped("gpt2"), expected);
}

TEST(ModelFile, BertIsBidirectionalWithTokenTypes) {
  const Model model = shipped("bert-large");
  EXPECT_EQ(model.mask, MaskKind::bidirectional);
  EXPECT_EQ(model.token_types, 2);
  EXPECT_EQ(model.max_positions, 512);
  EXPECT_TRUE(model.tied_embeddings);
}

// configuration_mistral.py: 4096 unless the file says otherwise; null switches it off.
TEST(ModelFile, MistralsWindowIsThereUnlessItIsNull) {
  const std::string mistral = R"({"model_type": "mistral", "num_hidden_layers": 2,
      "hidden_size": 64, "vocab_size": 100, "intermediate_size": 128, "num_attention_heads": 4)";
  EXPECT_EQ(parsed(mistral + "}").sliding_window, 4096);
  EXPECT_EQ(parsed(mistral + R"(, "sliding_window": 512})").sliding_window, 512);
  EXPECT_EQ(parsed(mistral + R"(, "sliding_window": null})").sliding_window, std::nullopt);
}

TEST(ModelFile, QwensWindowIsOffUnlessItIsUsed) {
  const std::string qwen = R"({"model_type": "qwen2", "num_hidden_layers": 2, "hidden_size": 64,
      "vocab_size": 100, "intermediate_size": 128, "num_attention_heads": 4,
      "sliding_window": 512)";
  const Model off = parsed(qwen + "}");
  EXPECT_EQ(off.sliding_window, std::nullopt);
  EXPECT_TRUE(off.qkv_bias);
  EXPECT_FALSE(off.attention_output_bias);
  EXPECT_EQ(
      parsed(qwen + R"(, "use_sliding_window": true, "max_window_layers": 0})").sliding_window,
      512);
  EXPECT_TRUE(contains(complaint(qwen + R"(, "use_sliding_window": true, "max_window_layers": 1})"),
                       "max_window_layers: layers with and without"));
}

TEST(ModelFile, TheFamilyComesFromArchitecturesWhenTypeIsMissing) {
  const std::string text = R"({"architectures": ["Qwen3ForCausalLM"], "num_hidden_layers": 2,
      "hidden_size": 64, "vocab_size": 100, "intermediate_size": 128, "num_attention_heads": 4,
      "head_dim": 32, "num_key_value_heads": 2})";
  const Model model = parsed(text);
  EXPECT_EQ(model.family, ModelFamily::qwen3);
  EXPECT_TRUE(model.qk_norm);
  EXPECT_EQ(model.head_dim, 32);  // not 64 / 4
  EXPECT_EQ(model.name, "small");
}

TEST(ModelFile, KeyValueHeadsDefaultToTheHeads) {
  EXPECT_EQ(parsed(llama_text(R"(, "num_attention_heads": 4)")).kv_heads, 4);
}

TEST(ModelFile, LlamasBiasesAreRead) {
  const Model model =
      parsed(llama_text(R"(, "num_attention_heads": 4, "attention_bias": true, "mlp_bias": true)"));
  EXPECT_TRUE(model.qkv_bias && model.attention_output_bias && model.mlp_bias);
}

TEST(ModelFile, UnknownKeysAreAccepted) {
  EXPECT_EQ(parsed(llama_text(R"(, "num_attention_heads": 4, "tokenizer": {"a": [1]})")).layers, 2);
}

struct BadConfig {
  std::string more;       // appended to a Llama without heads
  std::string complaint;  // part of the error
};

TEST(ModelFile, ImpossibleNumbersAreRefusedWithPlaceAndRemedy) {
  const std::vector<BadConfig> bad{
      {"", "config.json: num_attention_heads: is missing"},
      {R"(, "num_attention_heads": 0)", "num_attention_heads: expected a whole number, from 1"},
      {R"(, "num_attention_heads": -4)", "found the number -4"},
      {R"(, "num_attention_heads": 4.5)", "found the number 4.5"},
      {R"(, "num_attention_heads": "4")", "num_attention_heads: expected a whole number"},
      {R"(, "num_attention_heads": 99999999999999999999)", "num_attention_heads: expected"},
      {R"(, "num_attention_heads": 1e400)", "config.json"},
      {R"(, "num_attention_heads": NaN)", "config.json"},
      {R"(, "num_attention_heads": 7)", "7 heads do not divide the width 64; give head_dim"},
      {R"(, "num_attention_heads": 4, "num_key_value_heads": 3)", "3 do not divide the 4"},
      {R"(, "num_attention_heads": 4, "head_dim": 0)", "head_dim: expected a whole number, from 1"},
      {R"(, "num_attention_heads": 65536, "head_dim": 16384)", "is above 4194304"},
      {R"(, "num_attention_heads": 4, "hidden_act": "gelu")", "modelled with silu"},
      {R"(, "num_attention_heads": 4, "mlp_bias": 1)", "mlp_bias: expected true or false"},
      {R"(, "num_attention_heads": 4, "attention_dropout": 1.5)", "expected a share from 0"},
      {R"(, "num_attention_heads": 4, "num_local_experts": 8)", "num_local_experts: belongs to"},
      {R"(, "num_attention_heads": 4, "kv_lora_rank": 512)", "multi-head latent attention"},
      {R"(, "num_attention_heads": 4, "hidden_size": 64)", "hidden_size"},  // twice
  };
  for (const BadConfig& config : bad) {
    const std::string found = complaint(llama_text(config.more));
    EXPECT_TRUE(contains(found, config.complaint)) << config.more << " gave: " << found;
  }
}

TEST(ModelFile, OtherFamiliesAreRefusedByName) {
  EXPECT_TRUE(contains(complaint(R"({"model_type": "mamba"})"), "found \"mamba\", which is not"));
  EXPECT_TRUE(contains(complaint(R"({"architectures": ["T5Model"]})"), "\"T5Model\""));
  EXPECT_TRUE(contains(complaint(R"({"architectures": []})"), "expected an array of class names"));
  EXPECT_TRUE(contains(complaint("{}"), "model_type: is missing"));
  EXPECT_TRUE(contains(complaint("[]"), "expected an object"));
  EXPECT_TRUE(contains(complaint(""), "config.json"));
}

TEST(ModelFile, AMissingFileIsNamed) {
  const Result<Model> model = read_model("no/such/config.json");
  ASSERT_FALSE(model.has_value());
  EXPECT_TRUE(contains(model.error().text(), "no/such/config.json"));
}

// Whatever one byte becomes, there is a model or a complaint that names the file.
TEST(ModelFile, DamagedTextNeverThrows) {
  const std::string text = llama_text(R"(, "num_attention_heads": 4, "sliding_window": null)");
  std::mt19937 random(7);
  for (int i = 0; i < 5000; ++i) {
    std::string damaged = text;
    damaged[random() % damaged.size()] = static_cast<char>(random() % 256);
    if (i % 5 == 0) damaged.resize(random() % damaged.size());
    const Result<Model> model = parse_model(damaged, "config.json");
    if (model)
      EXPECT_GE(model->layers, 1);
    else
      EXPECT_TRUE(model.error().where.starts_with("config.json")) << model.error().text();
  }
}

class SampleConfig : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(samples))
      GTEST_SKIP() << "NOT CHECKED: sample configs are absent: " << samples;
  }
  std::string refusal(const std::string& file) {
    const Result<Model> model = read_model(samples / file);
    return model ? "accepted" : model.error().what;
  }
};

TEST_F(SampleConfig, DenseModelsAreRead) {
  Model llama_8b = shipped("llama-3-8b"), llama_70b = shipped("llama-3-70b");
  llama_8b.name = "Llama-3.1-8B";
  llama_70b.name = "Llama-3.1-70B";
  llama_8b.max_positions = llama_70b.max_positions = 131072;
  const Model qwen{.name = "Qwen3-32B",
                   .family = ModelFamily::qwen3,
                   .layers = 64,
                   .hidden = 5120,
                   .heads = 64,
                   .kv_heads = 8,
                   .head_dim = 128,
                   .feed_forward = 25600,
                   .vocabulary = 151936,
                   .max_positions = 40960,
                   .qk_norm = true};
  EXPECT_EQ(*read_model(samples / "llmservingsim/Llama-3.1-8B.json"), llama_8b);
  EXPECT_EQ(*read_model(samples / "llmservingsim/Llama-3.1-70B.json"), llama_70b);
  EXPECT_EQ(*read_model(samples / "llmservingsim/Qwen3-32B.json"), qwen);
}

TEST_F(SampleConfig, FilesThatNameNoFamilyAreRecognised) {
  Model gpt = shipped("gpt2"), bert = shipped("bert-large");
  gpt.name = "gpt2-chinese_model_config_small";
  gpt.layers = 10;
  gpt.vocabulary = 13317;
  bert.name = "nvidia-dle_bert_base";
  bert.layers = bert.heads = bert.kv_heads = 12;
  bert.hidden = 768;
  bert.feed_forward = 3072;
  bert.vocabulary = 30528;
  EXPECT_EQ(*read_model(samples / "other/gpt2-chinese_model_config_small.json"), gpt);
  EXPECT_EQ(*read_model(samples / "other/nvidia-dle_bert_base.json"), bert);
}

TEST_F(SampleConfig, MixturesOfExpertsAreRefusedByName) {
  for (const std::string file :
       {"llmservingsim/Mixtral-8x7B-v0.1.json", "llmservingsim/Phi-mini-MoE-instruct.json",
        "llmservingsim/Qwen3-30B-A3B-Instruct-2507.json",
        "vidur-alibabacloud/qwen3-235B-A22B_FP8_config.json",
        "vidur-alibabacloud/qwen3-next-80B-A3B_config.json",
        "vidur-alibabacloud/deepseek_v3_config.json",
        "vidur-alibabacloud/deepseek_R1_0528_config.json"})
    EXPECT_TRUE(contains(refusal(file), "mixture of experts, which is not modelled")) << file;
}

}  // namespace
}  // namespace quintet
