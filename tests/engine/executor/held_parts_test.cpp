#include "engine/parameters/held_parts.h"

#include <gtest/gtest.h>

#include <numeric>

namespace quintet::engine {
namespace {

// A parameter [5 out, 2 in] of two tensors, rows 3-5 of "a" [6, 2] above rows 0-1 of "b" [4, 2],
// which lies turned, [2, 5], behind one element of something else:
//   a30 a40 a50 b00 b10
//   a31 a41 a51 b01 b11
Section turned_section() {
  LocalTensor tensor;
  tensor.offset = 1;
  tensor.rows = 2;
  tensor.columns = 5;
  tensor.lies = Lies::turned;
  tensor.parameter.shape = {5, 2};
  tensor.parameter.slices = {{{"a", {6, 2}}, {{3, 0}, {3, 2}}, 0},
                             {{"b", {4, 2}}, {{0, 0}, {2, 2}}, 6, Holding::copy}};
  Section section;
  section.count = 11;
  section.tensors = {tensor};
  return section;
}

// Elements 2 .. 6 of the section are a40 a50 b00 b10 | a31.
TEST(HeldParts, OfATurnedTensorAreBoxesOfTheModelsTensors) {
  EXPECT_EQ(held_parts(turned_section(), 2, 5),
            (std::vector<HeldPart>{
                {{"a", {6, 2}}, {{4, 0}, {2, 1}}, Holding::first, 0, 1, 5},
                {{"b", {4, 2}}, {{0, 0}, {2, 1}}, Holding::copy, 2, 1, 5},
                {{"a", {6, 2}}, {{3, 1}, {1, 1}}, Holding::first, 4, 1, 5},
            }));
}

// The whole of "a" here: rows a30 a31, a40 a41, a50 a51 of the box, out of the numbers 0 .. 10.
TEST(HeldParts, AreTakenOutInTheTensorsOrderAndPutBack) {
  const std::vector<HeldPart> parts = held_parts(turned_section(), 0, 11);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].box, (Box{{3, 0}, {3, 2}}));
  std::vector<float> numbers(11);
  std::iota(numbers.begin(), numbers.end(), 0.0F);
  std::vector<float> box(6);
  take_out(parts[0], numbers.data(), box);
  EXPECT_EQ(box, (std::vector<float>{1, 6, 2, 7, 3, 8}));
  std::vector<float> back(11, -1.0F);
  put_in(parts[0], box, back.data());
  EXPECT_EQ(back, (std::vector<float>{-1, 1, 2, 3, -1, -1, 6, 7, 8, -1, -1}));
}

// A vector of 4 whose last two elements are another rank's.
TEST(HeldParts, OfAVectorAreStretchesOfIt) {
  LocalTensor tensor;
  tensor.columns = 4;
  tensor.parameter.shape = {4};
  tensor.parameter.slices = {{{"v", {8}}, {{4}, {4}}, 0}};
  Section section;
  section.count = 4;
  section.tensors = {tensor};
  EXPECT_EQ(held_parts(section, 1, 2),
            (std::vector<HeldPart>{{{"v", {8}}, {{5}, {2}}, Holding::first, 0, 2, 1}}));
}

}  // namespace
}  // namespace quintet::engine
