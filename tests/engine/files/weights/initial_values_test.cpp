#include "engine/files/weights/initial_values.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/files/weights/slices.h"
#include "tests/support/parameter_values.h"
#include "tests/support/small_models.h"

namespace quintet {
namespace {

std::vector<float> initialised(const Parameter& parameter, std::uint64_t seed) {
  return *values_of(parameter,
                    [seed](const ParameterTensor& tensor, const Box& box,
                           std::span<float> values) -> std::optional<Error> {
                      initial_values(tensor, box, seed, values);
                      return std::nullopt;
                    });
}

// The model of a layout, put together again from what each rank began with.
TensorValues begun_with(const Model& model, int tensor, int stages, std::uint64_t seed) {
  TensorValues merged;
  const int layers = model.layers / stages;
  for (int stage = 0; stage < stages; ++stage)
    for (int rank = 0; rank < tensor; ++rank)
      for (const Parameter& parameter :
           parameters_of(model, {.tensor = tensor, .vocabulary_multiple = 4}, rank,
                         {.first_layer = stage * layers,
                         .layers = layers,
                         .embedding = stage == 0,
                         .head = stage == stages - 1}))
        put_into(merged, parameter, initialised(parameter, seed));
  return merged;
}

TEST(InitialValues, AreTheSameForEveryLayout) {
  for (const Model& model : {small_gpt2(), small_bert(), small_llama(), small_qwen3()}) {
    const TensorValues alone = begun_with(model, 1, 1, 42);
    for (const int tensor : {1, 2, 4})
      for (const int stages : {1, 2}) EXPECT_EQ(begun_with(model, tensor, stages, 42), alone);
    EXPECT_NE(begun_with(model, 1, 1, 43), alone);
  }
}

double deviation_of(const std::vector<float>& values) {
  double squares = 0;
  for (const float value : values) squares += double{value} * double{value};
  return std::sqrt(squares / static_cast<double>(values.size()));
}

// 2 layers: 0.02 / sqrt(4) = 0.01 before the residual. 256 x 256 values: the deviation's standard
// error is 0.28 %; five of them.
TEST(InitialValues, Gpt2sProjectionsToTheResidualStartSmaller) {
  const Model model = model_from(R"({"model_type": "gpt2", "n_layer": 2, "n_embd": 256, "n_head": 4,
                     "vocab_size": 300, "n_positions": 6})");
  const TensorValues values = begun_with(model, 1, 1, 1);
  EXPECT_NEAR(deviation_of(values.at("layers.0.attention.output.weight")), 0.01, 0.00014);
  EXPECT_NEAR(deviation_of(values.at("layers.1.mlp.down.weight")), 0.01, 0.00014);
  EXPECT_NEAR(deviation_of(values.at("layers.1.attention.query.weight")), 0.02, 0.00028);
  EXPECT_NEAR(deviation_of(values.at("embedding.tokens.weight")), 0.02, 0.00028);
}

TEST(InitialValues, NormsStartAtOneBiasesAndPaddingAtZero) {
  const TensorValues values = begun_with(small_gpt2(), 1, 1, 1);
  EXPECT_EQ(values.at("layers.0.mlp_norm.weight"), std::vector<float>(8, 1.0f));
  EXPECT_EQ(values.at("layers.0.attention.key.bias"), std::vector<float>(8, 0.0f));
  // 13 tokens over 2 ranks: rank 1 holds 6 and one row of padding.
  const Parameter tokens = parameters_of(small_gpt2(), {.tensor = 2}, 1, {.embedding = true})[0];
  const std::vector<float> held = initialised(tokens, 1);
  EXPECT_EQ(tokens.shape, (Shape{7, 8}));
  EXPECT_EQ(std::vector<float>(held.end() - 8, held.end()), std::vector<float>(8, 0.0f));
  EXPECT_NE(held[40], 0.0f);
}

TEST(InitialValues, TensorsOfOneShapeDiffer) {
  const TensorValues values = begun_with(small_gpt2(), 1, 1, 1);
  EXPECT_NE(values.at("layers.0.mlp.up.weight"), values.at("layers.1.mlp.up.weight"));
  EXPECT_NE(values.at("layers.0.attention.query.weight"),
            values.at("layers.0.attention.key.weight"));
}

}  // namespace
}  // namespace quintet
