#include "sim/model/step_flops.h"

#include <gtest/gtest.h>

#include "tests/support/known_models.h"

namespace quintet {
namespace {

// Megatron-LM: one sequence of 8192 tokens.
TEST(StepFlops, OfLlama3AreExact_F1) {
  const Model small = shipped("llama-3-8b");
  const AttentionCount half = AttentionCount::causal_half;
  EXPECT_EQ(model_flops(small, 1, 8192, half).value, 421'645'529'382'912.0);
  EXPECT_EQ(model_flops(small, 1, 8192, AttentionCount::full).value, 474'422'087'516'160.0);
  EXPECT_EQ(model_flops(shipped("llama-3-70b"), 1, 8192, half).value, 3'680'031'058'427'904.0);
  EXPECT_EQ(model_flops(llama_405b(), 1, 8192, half).value, 20'676'247'440'850'944.0);
}

// Megatron-LM's count, and the closed form 72 B s L h^2 (1 + s / 6h + V / 12hL).
TEST(StepFlops, OfGpt3AreTheClosedForm_F2) {
  const Model model = shipped("gpt-3-175b");
  const double h = 12288, s = 2048, l = 96, v = 51200;
  const double closed = 72 * s * l * h * h * (1 + s / (6 * h) + v / (12 * h * l));
  EXPECT_EQ(model_flops(model, 1, 2048, AttentionCount::full).value, 2'204'555'173'429'248.0);
  EXPECT_NEAR(closed / 2'204'555'173'429'248.0, 1, 1e-9);
}

// Megatron-LM: 96 B s L h^2 (1 + s / 6h + V / 16Lh), the logits are not repeated.
TEST(StepFlops, FullRecomputeAddsOneForwardOfTheLayers_F2) {
  const Flops flops = hardware_flops(shipped("gpt-3-175b"), 1, 2048, AttentionCount::full,
                                     RecomputedPart::whole_layer);
  EXPECT_EQ(flops.value, 2'936'829'917'528'064.0);
}

// Scores and values four times instead of three: s / 6h becomes 4/3 of it, 2 s / 9h.
TEST(StepFlops, SelectiveRecomputeAddsTheAttentionProducts) {
  const Flops flops = hardware_flops(shipped("gpt-3-175b"), 1, 2048, AttentionCount::full,
                                     RecomputedPart::attention_core);
  const double h = 12288, s = 2048, l = 96, v = 51200;
  const double closed = 72 * s * l * h * h * (1 + 2 * s / (9 * h) + v / (12 * h * l));
  EXPECT_NEAR(flops.value / closed, 1, 1e-12);
}

// The same step in one second on one GPU of 989.4 TFLOP/s.
TEST(StepFlops, UtilisationOfOneSecondOnAnH100_F8) {
  const Flops work = model_flops(shipped("llama-3-8b"), 1, 8192, AttentionCount::causal_half);
  EXPECT_NEAR(utilisation(work, Seconds{1.0}, 1, FlopRate{989.4e12}), 0.426162856, 5e-10);
}

// arXiv 2311.05610: 2048 sequences of 2048 tokens on A100s of 312 TFLOP/s, printed MFU.
TEST(StepFlops, ThePalmFormulaGivesHagemannsUtilisation) {
  const FlopRate a100{312e12};
  const Model medium = llama(60, 6656, 52, 17888, 128000);
  const Model large = llama(80, 8192, 64, 22016, 128000);
  EXPECT_NEAR(utilisation(palm_flops(medium, 2048, 2048), Seconds{22.667}, 256, a100), 0.4921,
              5e-5);
  EXPECT_NEAR(utilisation(palm_flops(large, 2048, 2048), Seconds{79.307}, 128, a100), 0.5526, 5e-5);
}

// 32 layers, width 4096: forward and backward of 12 L q (s w - w^2 / 2) with s = 8192, w = 4096
// is 3/4 of the unlimited 12 L q s^2 / 2.
TEST(StepFlops, ASlidingWindowCountsOnlyWhatItSees) {
  const Model windowed = shipped("mistral-7b");
  Model unlimited = windowed;
  unlimited.sliding_window.reset();
  const double all = 12.0 * 32 * 4096 * 8192.0 * 8192.0 / 2;
  const Flops saved = model_flops(unlimited, 1, 8192, AttentionCount::causal_half) -
                      model_flops(windowed, 1, 8192, AttentionCount::causal_half);
  EXPECT_EQ(saved.value, all / 4);
  EXPECT_EQ(model_flops(unlimited, 1, 4096, AttentionCount::causal_half),
            model_flops(windowed, 1, 4096, AttentionCount::causal_half));
}

// A bidirectional mask has no half to leave out.
TEST(StepFlops, BertCountsAllOfItsAttention) {
  const Model bert = shipped("bert-large");
  const double h = 1024, s = 512, l = 24, v = 30522;
  const double expected = 6 * s * (l * 12 * h * h + h * v + h * h) + 12 * l * h * s * s;
  EXPECT_EQ(model_flops(bert, 1, 512, AttentionCount::causal_half).value, expected);
  EXPECT_EQ(model_flops(bert, 1, 512, AttentionCount::full).value, expected);
}

}  // namespace
}  // namespace quintet
