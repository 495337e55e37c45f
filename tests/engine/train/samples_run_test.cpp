// Runs on documents of unequal length: whoever computes them, the same samples have the same loss
// and gradients.
#include <gtest/gtest.h>

#include "tests/engine/train/sampled_run.h"

namespace quintet::engine::test {
namespace {

TEST(RunOfSamples, HasTheSameLossHoweverItIsDealt) {
  for (const char* const model : {small_gpt, small_bert})
    for (const char* const draw : {at_random, by_bins}) {
      SCOPED_TRACE(std::string(model).substr(0, 24) + draw);
      const Steps by_itself = steps_of(model, one_rank, draw, "none");
      for (const char* const dealt : {"none", "presort-in-host", "presort-globally"}) {
        SCOPED_TRACE(dealt);
        expect_alike(by_itself, steps_of(model, four_ranks, draw, dealt));
      }
    }
}

// Under ZeRO-3 ranks meet at every layer, with other numbers of tokens each.
TEST(RunOfSamples, HasTheSameLossWithSharesOfTheWeights) {
  expect_alike(steps_of(small_gpt, one_rank, by_bins, "none"),
               steps_of(small_gpt, std::string(four_ranks) + R"(, "sharding": "parameters")",
                        by_bins, "presort-in-host"));
}

TEST(RunOfSamples, OfPackedRowsHasTheSameLossOnOneRank) {
  constexpr const char* packed = R"("draw": "packed")";
  expect_alike(steps_of(small_gpt, one_rank, packed, "none"),
               steps_of(small_gpt, four_ranks, packed, "none"));
}

// Other draws are other steps: the tests above could fail.
TEST(RunOfSamples, DependsOnWhatIsDrawn) {
  const Steps one = steps_of(small_gpt, four_ranks, at_random, "none");
  const Steps other = steps_of(small_gpt, four_ranks, by_bins, "none");
  ASSERT_FALSE(one.losses.empty());
  ASSERT_FALSE(other.losses.empty());
  EXPECT_NE(one.losses, other.losses);
}

}  // namespace
}  // namespace quintet::engine::test
