#include "engine/parameters/section_values.h"

#include <gtest/gtest.h>

#include <numeric>

#include "engine/parameters/initial_weights.h"
#include "tests/support/parameter_values.h"
#include "tests/support/small_models.h"

namespace quintet::engine {
namespace {

const Initialisation how{.seed = 3, .deviation = 0.08};

// A section as it lies, out of its whole parameters: (row, column) of a turned tensor is (column,
// row) of its parameter.
std::vector<float> as_it_lies(const Section& section) {
  std::vector<float> values(static_cast<std::size_t>(section.count));
  for (const LocalTensor& tensor : section.tensors) {
    const std::vector<float> listed = *values_of(tensor.parameter, initial_weights(how));
    for (Index row = 0; row < tensor.rows; ++row)
      for (Index column = 0; column < tensor.columns; ++column) {
        const Index from = tensor.lies == Lies::turned ? column * tensor.rows + row
                                                       : row * tensor.columns + column;
        values[static_cast<std::size_t>(tensor.offset + row * tensor.columns + column)] =
            listed[static_cast<std::size_t>(from)];
      }
  }
  return values;
}

ParameterLayout layout_of(const Model& model, int tensor, const std::vector<Chunk>& chunks) {
  return ParameterLayout({model, {.tensor = tensor, .vocabulary_multiple = 4}, tensor - 1, chunks});
}

TEST(SectionValues, OfAnyStretchInAnyTilesAreThoseOfTheWholeParameters) {
  for (const Model& model : {small_gpt2(), small_bert(), small_llama(), small_qwen3()})
    for (const int tensor : {1, 2}) {
      const std::vector<Chunk> chunks{whole_model(model)};
      const ParameterLayout layout = layout_of(model, tensor, chunks);
      for (const Section& section : layout.sections()) {
        const std::vector<float> whole = as_it_lies(section);
        for (const Index slice : {section.count, section.count / 3 + 1, Index{7}})
          for (const Index tile : {Index{1}, Index{10}, Index{1} << 19}) {
            std::vector<float> found(whole.size(), -7.0F);
            for (Index place = 0; place < section.count; place += slice)
              ASSERT_FALSE(fill(section, place,
                                std::span(found).subspan(static_cast<std::size_t>(place),
                                                         static_cast<std::size_t>(std::min(
                                                             slice, section.count - place))),
                                {.source = initial_weights(how), .threads = 3, .tile = tile}));
            ASSERT_EQ(found, whole) << "slices of " << slice << ", tiles of " << tile;
          }
      }
    }
}

// Each element is asked for once, and in no request are there more than the tile has.
TEST(SectionValues, AskForNoMoreThanTheStretch) {
  const Model model = small_llama();
  const std::vector<Chunk> chunks{whole_model(model)};
  const ParameterLayout layout = layout_of(model, 2, chunks);
  for (const Section& section : layout.sections()) {
    std::int64_t asked = 0, most = 0;
    const BoxSource counting = [&](const ParameterTensor&, const Box& box,
                                   std::span<float>) -> std::optional<Error> {
      asked += elements(box.shape);
      most = std::max(most, elements(box.shape));
      return std::nullopt;
    };
    const Index part = section.count / 2;
    std::vector<float> values(static_cast<std::size_t>(part));
    ASSERT_FALSE(fill(section, 0, values, {.source = counting, .tile = 16}));
    EXPECT_LE(asked, part);
    EXPECT_GE(asked, part / 2);  // the rest is padding of the vocabulary
    EXPECT_LE(most, 16);
  }
}

TEST(SectionValues, TheFirstErrorIsTheAnswer) {
  const Model model = small_gpt2();
  const std::vector<Chunk> chunks{whole_model(model)};
  const ParameterLayout layout = layout_of(model, 1, chunks);
  const Section& section = layout.sections().front();
  std::vector<float> values(static_cast<std::size_t>(section.count));
  const BoxSource broken = [](const ParameterTensor&, const Box&,
                              std::span<float>) -> std::optional<Error> {
    return Error{"there", "is nothing"};
  };
  EXPECT_EQ(fill(section, 0, values, {.source = broken, .threads = 2, .tile = 4})->text(),
            "there: is nothing");
}

}  // namespace
}  // namespace quintet::engine
