// A step's kernels, put together of small steps, are those of the whole step.
#include "tests/engine/kernel_counts/kernel_tally.h"

#include <gtest/gtest.h>

#include "sim/model/step_flops.h"

namespace quintet::engine::test {
namespace {

Model model_of(Model model, int layers) {
  model.layers = layers;
  model.vocabulary = 128;
  return model;
}

double product_flops(const KernelTally& tally) {
  double sum = 0;
  for (const auto& [key, kernel] : tally)
    if (const auto* const size = std::get_if<kernels::ProductSize>(&key.size))
      sum += kernel.calls * 2.0 * static_cast<double>(size->rows * size->columns * size->depth);
  return sum;
}

// Megatron-LM's formula (sim/model/step_flops.h) without attention's 12 layers q s^2 / 2 of each
// sequence of s tokens; it was written without a look at the engine.
double expected_flops(const Model& model, Sequences sequences) {
  const int all = sequences.count * sequences.micro_batches;
  const double width = model.heads * model.head_dim, length = sequences.length;
  return model_flops(model, all, sequences.length, AttentionCount::causal_half).value -
         6.0 * model.layers * width * all * length * length;
}

void hold_to_formula(const Model& model) {
  const Sequences sequences{2, 16, 3};
  const auto tally = step_tally(model, sequences);
  ASSERT_TRUE(tally) << tally.error().text();
  EXPECT_DOUBLE_EQ(product_flops(*tally), expected_flops(model, sequences));
}

TEST(KernelTally, HasTheProductsOfGpt2) {
  hold_to_formula(model_of(toy_gpt2(), 5));
}

TEST(KernelTally, HasTheProductsOfLlama) {
  hold_to_formula(model_of(toy_llama(), 5));
}

// Every call and every byte, against the step itself: three layers and three micro-batches, of
// which the small steps had two at most.
TEST(KernelTally, IsTheTallyOfTheWholeStep) {
  const Model model = model_of(toy_gpt2(), 3);
  const Sequences sequences{2, 16, 3};
  const auto log = counted_step(model, sequences, untouched_device);
  ASSERT_TRUE(log) << log.error().text();
  const auto tally = step_tally(model, sequences);
  ASSERT_TRUE(tally) << tally.error().text();
  const KernelTally whole = tally_of(*log);
  EXPECT_EQ(tally->size(), whole.size());
  for (const auto& [key, sum] : whole) {
    const auto found = tally->find(key);
    ASSERT_NE(found, tally->end()) << key.name;
    EXPECT_NEAR(found->second.calls, sum.calls, 1e-9) << key.name;
    EXPECT_NEAR(found->second.bytes, sum.bytes, 1e-9 * sum.bytes) << key.name;
  }
}

}  // namespace
}  // namespace quintet::engine::test
