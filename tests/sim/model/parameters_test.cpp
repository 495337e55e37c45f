#include "sim/model/parameters.h"

#include <gtest/gtest.h>

#include "tests/support/known_models.h"

namespace quintet {
namespace {

// Hugging Face's counts of Llama 3's parameters.
TEST(Parameters, OfLlama3AreExact_F4) {
  EXPECT_EQ(total_parameters(shipped("llama-3-8b")), 8'030'261'248);
  EXPECT_EQ(total_parameters(shipped("llama-3-70b")), 70'553'706'496);
  EXPECT_EQ(total_parameters(llama_405b()), 405'853'388'800);
}

// 4096-wide Llama 2 with 11,008; 70B with 8 key/value heads. The counts transformers prints.
TEST(Parameters, OfLlama2AreExact) {
  Model large = llama(80, 8192, 64, 28672, 32000);
  large.kv_heads = 8;
  EXPECT_EQ(total_parameters(llama(32, 4096, 32, 11008, 32000)), 6'738'415'616);
  EXPECT_EQ(total_parameters(large), 68'976'648'192);
}

// 2 x 100352 x 2048 + 16 (4 x 2048^2 + 3 x 2048 x 8192 + 2 x 2048) + 2048.
TEST(Parameters, OfTheModelsOfReplicatorsAreExact) {
  EXPECT_EQ(total_parameters(shipped("olmo-2-1b")), 1'484'851'200);
  // 512 (32128 + 512) + 14 (12 x 512^2 + 13 x 512) + 2 x 512.
  EXPECT_EQ(total_parameters(shipped("t5-small-like")), 60'846'080);
}

// The count transformers prints for mistralai/Mistral-7B-v0.1.
TEST(Parameters, OfMistralAreExact) {
  EXPECT_EQ(total_parameters(shipped("mistral-7b")), 7'241'732'096);
}

// The count transformers prints for Qwen/Qwen2.5-7B: biases on q, k and v only.
TEST(Parameters, OfQwen25AreExact) {
  Model model = llama(28, 3584, 28, 18944, 152064);
  model.family = ModelFamily::qwen2;
  model.kv_heads = 4;
  model.qkv_bias = true;
  EXPECT_EQ(total_parameters(model), 7'615'616'512);
}

// The smallest GPT-2: 50257 x 768 + 1024 x 768 + 12 (12 x 768^2 + 13 x 768) + 2 x 768.
TEST(Parameters, OfGpt2AreExact) {
  EXPECT_EQ(total_parameters(shipped("gpt2")), 124'439'808);
}

// 96 (12 h^2 + 13 h) + 2 h + 51200 h + 2048 h with h = 12288.
TEST(Parameters, OfGpt3AreExact) {
  EXPECT_EQ(total_parameters(shipped("gpt-3-175b")), 174'615'846'912);
}

// arXiv 2402.02447: the MLPerf implementation pads 30,522 words to 30,528 and trains both heads.
// Without the heads 335,141,888 remain, the count transformers prints for BertModel.
TEST(Parameters, OfBertLargeInMlperfAreExact) {
  const Model bert = shipped("bert-large");
  const HeadParameters head = head_parameters(bert);
  EXPECT_EQ(total_parameters(bert, {.vocabulary_multiple = 8}), 336'232'258);
  EXPECT_EQ(total_parameters(bert), 336'226'108);
  EXPECT_EQ(total_parameters(bert) - head.transform - head.projection_bias - head.classifier,
            335'141'888);
}

// arXiv 2311.05610: N of Hagemann et al., vocabulary 128,000.
TEST(Parameters, OfHagemannsLlamasAreExact) {
  EXPECT_EQ(total_parameters(llama(40, 5120, 40, 13824, 128000)), 13'998'904'320);
  EXPECT_EQ(total_parameters(llama(60, 6656, 52, 17888, 128000)), 33'768'557'056);
  EXPECT_EQ(total_parameters(llama(80, 8192, 64, 22016, 128000)), 66'858'524'672);
}

// hidden 4096, 32 heads of 128, 8 for keys and values, MLP 14336.
TEST(Parameters, OfALayerAreListedByTensor) {
  const LayerParameters expected{.norms = 2 * 4096,
                                 .qkv_weight = 4096 * (4096 + 2 * 1024),
                                 .attention_output_weight = 4096 * 4096,
                                 .mlp_up_weight = 4096 * 2 * 14336,
                                 .mlp_down_weight = 14336 * 4096};
  EXPECT_EQ(layer_parameters(shipped("llama-3-8b")), expected);
}

// Columns, rows and vocabulary are shared out; norms and row biases stay whole: with r of them
// replicated, t ranks hold total + (t - 1) r.
TEST(Parameters, TensorRanksShareTheMatricesAndRepeatTheNorms) {
  const Model model = shipped("gpt2");
  const LayerParameters whole = layer_parameters(model);
  const LayerParameters part = layer_parameters(model, {.tensor = 4});
  EXPECT_EQ(part.replicated(), 4 * 768 + 2 * 768);
  EXPECT_EQ(4 * part.total(), whole.total() + 3 * whole.replicated());
}

// Llama-3-8B has 8 key/value heads; 16 ranks hold one each.
TEST(Parameters, FewKeyValueHeadsAreRepeated) {
  const LayerParameters part = layer_parameters(shipped("llama-3-8b"), {.tensor = 16});
  EXPECT_EQ(part.qkv_weight, 4096 * (256 + 2 * 128));
}

// Megatron-LM pads 50,257 to a multiple of 128 x 8 = 1024: 51,200.
TEST(Parameters, TheVocabularyIsPaddedForTheSplit) {
  const Model model = shipped("gpt2");
  EXPECT_EQ(padded_vocabulary(model, {.tensor = 8, .vocabulary_multiple = 128}), 51'200);
  EXPECT_EQ(padded_vocabulary(model, {.tensor = 8}), 50'264);
  EXPECT_EQ(padded_vocabulary(model, {}), 50'257);
}

// GPT-2's table of 50257 x 768 is needed at both ends.
TEST(Parameters, ATiedEmbeddingIsHeldTwiceWhenTheEndsAreApart) {
  const Model model = shipped("gpt2");
  const std::int64_t first = stage_parameters(model, {}, {.layers = 6, .embedding = true});
  const std::int64_t last = stage_parameters(model, {}, {.layers = 6, .head = true});
  EXPECT_EQ(first + last, total_parameters(model) + 50'257 * 768);
}

}  // namespace
}  // namespace quintet
