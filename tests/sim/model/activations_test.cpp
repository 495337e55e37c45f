#include "sim/model/activations.h"

#include <gtest/gtest.h>

#include "tests/support/known_models.h"

namespace quintet {
namespace {

// GPT-3 of arXiv 2205.05198: s = 2048, b = 1, h = 12288, a = 96.
constexpr double s = 2048, b = 1, h = 12288, a = 96;

LayerWork korthikanti(int tensor, bool sequence_parallel) {
  LayerWork work;
  work.sequences = 1;
  work.sequence_length = 2048;
  work.type = DataType::fp16;
  work.attention = AttentionKernel::unfused;
  work.split = {.tensor = tensor, .sequence_parallel = sequence_parallel};
  return work;
}

Bytes kept(const LayerWork& work, RecomputedPart part) {
  return kept_bytes(shipped("gpt-3-175b"), work, part);
}

// arXiv 2205.05198 equation 1.
TEST(Activations, WithoutSplitAreThirtyFourAndFiveScores) {
  EXPECT_EQ(kept(korthikanti(1, false), RecomputedPart::nothing),
            Bytes{s * b * h * (34 + 5 * a * s / h)});
}

// Equation 2: norms, their outputs and two masks are replicated.
TEST(Activations, UnderTensorParallelismTenStayWhole) {
  EXPECT_EQ(kept(korthikanti(8, false), RecomputedPart::nothing),
            Bytes{s * b * h * (10 + 24.0 / 8 + 5 * a * s / (h * 8))});
}

// Equation 4.
TEST(Activations, UnderSequenceParallelismAllIsShared) {
  EXPECT_EQ(kept(korthikanti(8, true), RecomputedPart::nothing),
            Bytes{s * b * h / 8 * (34 + 5 * a * s / h)});
}

// Section 5: selective recompute leaves 34 s b h / t; table 2: full recompute 2 s b h.
TEST(Activations, RecomputeKeepsWhatThePaperSays) {
  EXPECT_EQ(kept(korthikanti(8, true), RecomputedPart::attention_core), Bytes{34 * s * b * h / 8});
  EXPECT_EQ(kept(korthikanti(8, false), RecomputedPart::whole_layer), Bytes{2 * s * b * h});
}

// Section 4.3: dropout mask s b h / t of the embedding (and 8-byte token ids); 4 s b h (1 + v / h)
// over t for the final norm's input, the head's input and fp32 logits.
TEST(Activations, OfTheEndsAreThePapers) {
  const Model model = shipped("gpt-3-175b");
  const LayerWork work = korthikanti(8, true);
  const HeadActivations head = head_activations(model, work, LogitsCopy::fp32);
  EXPECT_EQ(embedding_activation_bytes(model, work), Bytes{s * b * h / 8 + 8 * s * b});
  EXPECT_EQ(head.kept, Bytes{4 * s * b * h / 8 * (1 + 51200 / h)});
  EXPECT_EQ(head.transient, Bytes{2 * s * b * 51200 / 8});
}

TEST(Activations, AFusedLossKeepsTheGradientInPlaceOfTheLogits) {
  const Model model = shipped("gpt-3-175b");
  const HeadActivations head = head_activations(model, korthikanti(8, true), LogitsCopy::in_place);
  EXPECT_EQ(head, (HeadActivations{Bytes{4 * s * b * h / 8 + 2 * s * b * 51200 / 8}, Bytes{}}));
}

// Megatron-LM's report is 18 + 4 f / h per s b h / t with flash attention and
// dropout masks of the hidden stream; the log-sums (4 s b a / t) come on top. With f = 4 h: 34.
TEST(Activations, OfFlashAttentionAreMegatronsReport) {
  LayerWork work = korthikanti(8, true);
  work.attention = AttentionKernel::flash;
  EXPECT_EQ(kept(work, RecomputedPart::nothing), Bytes{s * b * h / 8 * 34 + 4 * s * b * a / 8});
}

// Llama-3-8B, 8192 tokens, flash, no dropout, bf16: two norm inputs, two block inputs and the
// attention output of 4096; q, k, v of 4096 + 2 x 1024; gate, up and their product of 14336.
TEST(Activations, OfAGatedGroupedQueryLayer) {
  LayerWork work;
  work.sequence_length = 8192;
  const double row = 2.0 * 8192;
  const LayerActivations expected{.norm_inputs = Bytes{row * 2 * 4096},
                                  .qkv_input = Bytes{row * 4096},
                                  .query_key_value = Bytes{row * (4096 + 2 * 1024)},
                                  .attention_core = Bytes{4.0 * 8192 * 32},
                                  .attention_output = Bytes{row * 4096},
                                  .mlp_input = Bytes{row * 4096},
                                  .activation_inputs = Bytes{row * 2 * 14336},
                                  .activation_output = Bytes{row * 14336}};
  EXPECT_EQ(layer_activations(shipped("llama-3-8b"), work), expected);
}

// Without dropout the probabilities are the only copy of the scores.
TEST(Activations, UnfusedScoresWithoutDropoutAreKeptOnce) {
  LayerWork work;
  work.sequence_length = 1024;
  work.attention = AttentionKernel::unfused;
  EXPECT_EQ(layer_activations(shipped("llama-3-8b"), work).attention_core,
            Bytes{2.0 * 32 * 1024 * 1024});
}

// Eager RMS norm keeps fp32 beside bf16, an eager SwiGLU its SiLU.
TEST(Activations, EagerKernelsKeepMore) {
  LayerWork work;
  work.sequence_length = 1024;
  work.fusion = {.norm = false, .bias_activation = false};
  const LayerActivations layer = layer_activations(shipped("llama-3-8b"), work);
  EXPECT_EQ(layer.norm_inputs, Bytes{6.0 * 2 * 1024 * 4096});
  EXPECT_EQ(layer.activation_inputs, Bytes{2.0 * 1024 * 3 * 14336});
}

TEST(Activations, WhatIsNotKeptComesBackOnce) {
  const Model model = shipped("gpt-3-175b");
  const LayerWork work = korthikanti(8, true);
  EXPECT_EQ(recomputed_bytes(model, work, RecomputedPart::nothing), Bytes{});
  EXPECT_EQ(recomputed_bytes(model, work, RecomputedPart::attention_core),
            Bytes{5 * a * s * s * b / 8});
  EXPECT_EQ(recomputed_bytes(model, work, RecomputedPart::whole_layer),
            Bytes{s * b * h / 8 * (32 + 5 * a * s / h)});
}

}  // namespace
}  // namespace quintet
