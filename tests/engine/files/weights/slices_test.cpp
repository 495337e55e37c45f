#include "engine/files/weights/slices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/support/small_models.h"

namespace quintet {
namespace {

// Every element of the model another number.
TensorValues numbered(const Model& model) {
  TensorValues tensors;
  float next = 1.0f;
  for (const ParameterTensor& tensor : tensors_of(model)) {
    std::vector<float>& values = tensors[tensor.name];
    values.resize(static_cast<std::size_t>(elements(tensor.shape)));
    for (float& value : values) value = next++;
  }
  return tensors;
}

std::vector<Chunk> two_stages(const Model& model) {
  return {{.first_layer = 0, .layers = 1, .embedding = true},
          {.first_layer = 1, .layers = model.layers - 1, .head = true}};
}

std::vector<float> taken(const TensorValues& tensors, const Parameter& parameter) {
  std::vector<float> values(static_cast<std::size_t>(elements(parameter.shape)), -1.0f);
  take_from(tensors, parameter, values);
  return values;
}

TEST(Slices, WhatIsCutForAnyLayoutComesTogetherAgain) {
  for (const Model& model : {small_gpt2(), small_bert(), small_llama(), small_qwen3()})
    for (const int tensor : {1, 2, 4}) {
      const TensorValues before = numbered(model);
      TensorValues after;
      for (int rank = 0; rank < tensor; ++rank)
        for (const Chunk& chunk : two_stages(model))
          for (const Parameter& parameter :
               parameters_of(model, {.tensor = tensor, .vocabulary_multiple = 3}, rank, chunk))
            put_into(after, parameter, taken(before, parameter));
      EXPECT_EQ(after, before) << tensor;
    }
}

// Output [4, 4] on rank 1 of 2: columns 2 and 3 of every row.
TEST(Slices, ARowSplitTakesColumnsOfTheMatrix) {
  const Model model = model_from(R"({"model_type": "gpt2", "n_layer": 1, "n_embd": 4, "n_head": 2,
                                     "vocab_size": 4, "n_positions": 2})");
  TensorValues tensors;
  std::vector<float>& matrix = tensors["layers.0.attention.output.weight"];
  matrix.resize(16);
  std::iota(matrix.begin(), matrix.end(), 0.0f);
  for (const Parameter& parameter :
       parameters_of(model, {.tensor = 2}, 1, {.first_layer = 0, .layers = 1})) {
    if (parameter.kind != ParameterKind::attention_output_weight) continue;
    EXPECT_EQ(parameter.shape, (Shape{4, 2}));
    EXPECT_EQ(taken(tensors, parameter), (std::vector<float>{2, 3, 6, 7, 10, 11, 14, 15}));
  }
}

// Shares of the flattened parameter, cut at any place, name the tensors' elements they hold.
TEST(Slices, AShareOfAFlattenedParameterKnowsItsPartsOfTheTensors) {
  const Model model = small_llama();
  const TensorValues tensors = numbered(model);
  for (const Chunk& chunk : two_stages(model))
    for (const Parameter& parameter : parameters_of(model, {.tensor = 2}, 1, chunk)) {
      const std::vector<float> values = taken(tensors, parameter);
      const std::int64_t count = elements(parameter.shape), cut = count / 3 + 1;
      std::vector<float> joined(values.size());
      for (std::int64_t first = 0; first < count; first += cut) {
        const std::int64_t last = std::min(count, first + cut);
        for (const RangePart& part : parts_of_range(parameter, first, last)) {
          const std::span<float> target =
              std::span(joined).subspan(static_cast<std::size_t>(first + part.at),
                                        static_cast<std::size_t>(elements(part.box.shape)));
          copy_part(part.box, whole(part.tensor.shape),
                    std::as_bytes(std::span(tensors.at(part.tensor.name))), part.box,
                    std::as_writable_bytes(target), sizeof(float));
        }
      }
      EXPECT_EQ(joined, values);
    }
}

}  // namespace
}  // namespace quintet
