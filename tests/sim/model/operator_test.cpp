#include "sim/model/operator.h"

#include <gtest/gtest.h>

#include <set>

namespace quintet {
namespace {

Operator attention(Phase phase, const AttentionShape& shape) {
  return {Computation::flash_attention, phase, DataType::bf16, shape, 1};
}

constexpr AttentionShape causal_flash{.sequences = 2,
                                      .heads = 3,
                                      .kv_heads = 1,
                                      .query_length = 8,
                                      .key_length = 16,
                                      .head_dim = 4,
                                      .mask = MaskKind::causal,
                                      .kernel = AttentionKernel::flash};

// 2 x 2 x 3 x 5 x 7 in each of its two products.
TEST(Flops, OfAGemmAreTwiceItsProduct) {
  const Operator forward{Computation::mlp_up, Phase::forward, DataType::bf16, GemmShape{2, 3, 5, 7},
                         1};
  Operator backward = forward;
  backward.phase = Phase::backward;
  EXPECT_EQ(flops_of(forward, AttentionCount::full), Flops{420});
  EXPECT_EQ(flops_of(backward, AttentionCount::full), Flops{840});
}

// 4 x 2 sequences x 3 heads x 8 queries x 16 keys x 4 wide = 12,288.
TEST(Flops, OfAttentionAreHalvedByACausalMaskWhenAskedTo) {
  const Operator work = attention(Phase::forward, causal_flash);
  EXPECT_EQ(flops_of(work, AttentionCount::full), Flops{12'288});
  EXPECT_EQ(flops_of(work, AttentionCount::causal_half), Flops{6'144});
}

TEST(Flops, OfBidirectionalAttentionAreNeverHalved) {
  AttentionShape shape = causal_flash;
  shape.mask = MaskKind::bidirectional;
  EXPECT_EQ(flops_of(attention(Phase::forward, shape), AttentionCount::causal_half), Flops{12'288});
}

// Backward has four products to forward's two, flash a fifth.
TEST(Flops, OfAttentionBackwardDependOnTheKernel) {
  AttentionShape unfused = causal_flash;
  unfused.kernel = AttentionKernel::unfused;
  const AttentionCount full = AttentionCount::full;
  EXPECT_EQ(flops_of(attention(Phase::input_gradient, causal_flash), full), Flops{30'720});
  EXPECT_EQ(flops_of(attention(Phase::input_gradient, unfused), full), Flops{24'576});
  EXPECT_EQ(flops_of(attention(Phase::weight_gradient, causal_flash), full), Flops{});
}

// A window of 4 of 16 keys: 4 each, or 4 - 16 / 32 = 3.5 on average.
TEST(Flops, OfAttentionStayInsideTheWindow) {
  AttentionShape shape = causal_flash;
  shape.window = 4;
  const Operator work = attention(Phase::forward, shape);
  EXPECT_EQ(flops_of(work, AttentionCount::full), Flops{12'288 / 4.0});
  EXPECT_EQ(flops_of(work, AttentionCount::causal_half), Flops{12'288 * 3.5 / 16});
}

TEST(OperatorNames, AreAllDifferent) {
  std::set<std::string_view> names;
  const int last = static_cast<int>(OperatorKind::stage_total);
  for (int kind = 0; kind <= last; ++kind) names.insert(name_of(static_cast<OperatorKind>(kind)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(last + 1));
  EXPECT_FALSE(names.contains(""));
}

TEST(PhaseNames, AreAllDifferent) {
  std::set<std::string_view> names;
  const int last = static_cast<int>(Phase::update);
  for (int phase = 0; phase <= last; ++phase) names.insert(name_of(static_cast<Phase>(phase)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(last + 1));
  EXPECT_FALSE(names.contains(""));
}

}  // namespace
}  // namespace quintet
