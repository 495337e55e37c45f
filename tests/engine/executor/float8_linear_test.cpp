// One linear layer in fp8, forward and both gradients, against a computation in double that
// quantises by the definition of the numbers (OCP 8-bit Floating Point Specification, table 1).
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "engine/files/storage/half_floats.h"
#include "engine/operators/float8_math.h"
#include "tests/support/toy_models.h"

namespace quintet::engine::test {
namespace {

using Doubles = std::vector<double>;

struct Matrix {
  Index rows = 0, columns = 0;
  Doubles values;
  double& at(Index row, Index column) {
    return values[static_cast<std::size_t>(row * columns + column)];
  }
  double at(Index row, Index column) const {
    return values[static_cast<std::size_t>(row * columns + column)];
  }
};

// Numbers of a spread that no one scale fits well: rows differ by up to 2^6.
Matrix random_matrix(Index rows, Index columns, unsigned seed, double size) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, size);
  Matrix made{rows, columns, {}};
  for (Index at = 0; at < rows * columns; ++at)
    made.values.push_back(float_of_bf16(bf16_of(
        static_cast<float>(std::ldexp(normal(random), static_cast<int>((at / columns) % 7))))));
  return made;
}

Matrix turned(const Matrix& from) {
  Matrix made{from.columns, from.rows, Doubles(from.values.size())};
  for (Index row = 0; row < from.rows; ++row)
    for (Index column = 0; column < from.columns; ++column)
      made.at(column, row) = from.at(row, column);
  return made;
}

struct Format {
  int fraction_bits, least_exponent;  // of normal numbers
  double largest;
};
constexpr Format e4m3{3, -6, 448}, e5m2{2, -14, 57344};

// The nearest number of the format; std::nearbyint rounds ties to even.
double rounded(const Format& format, double value) {
  const double size = std::min(std::fabs(value), format.largest);
  if (size == 0) return 0;
  const int exponent = std::max(std::ilogb(size), format.least_exponent);
  const double step = std::ldexp(1.0, exponent - format.fraction_bits);
  return std::copysign(std::min(std::nearbyint(size / step) * step, format.largest), value);
}

// What is left of a matrix whose blocks of `rows` x `columns` have a power of two each.
Matrix quantised(const Format& format, Matrix matrix, Index rows, Index columns) {
  for (Index row = 0; row < matrix.rows; row += rows)
    for (Index column = 0; column < matrix.columns; column += columns) {
      const auto each = [&](auto work) {
        for (Index r = row; r < std::min(row + rows, matrix.rows); ++r)
          for (Index c = column; c < std::min(column + columns, matrix.columns); ++c)
            work(matrix.at(r, c));
      };
      double largest = 0;
      each([&](double value) { largest = std::max(largest, std::fabs(value)); });
      double scale = std::ldexp(1.0, -60);
      while (largest > scale * format.largest) scale *= 2;
      each([&](double& value) { value = rounded(format, value / scale) * scale; });
    }
  return matrix;
}

// left [rows, depth] times right [columns, depth] turned; and the sum of magnitudes, to which
// fp32's rounding errors are in proportion.
struct Sums {
  Matrix sums, sizes;
};
Sums product(const Matrix& left, const Matrix& right) {
  Sums made{{left.rows, right.rows, {}}, {left.rows, right.rows, {}}};
  for (Index row = 0; row < left.rows; ++row)
    for (Index column = 0; column < right.rows; ++column) {
      double sum = 0, size = 0;
      for (Index k = 0; k < left.columns; ++k) {
        const double term = left.at(row, k) * right.at(column, k);
        sum += term;
        size += std::fabs(term);
      }
      made.sums.values.push_back(sum);
      made.sizes.values.push_back(size);
    }
  return made;
}

// bf16 has 8 bits: numbers from 2^e to 2^(e + 1) lie 2^(e - 7) apart, and the nearest is half as
// far away at most.
double half_spacing_of_bf16(double size) {
  return std::ldexp(1.0, std::ilogb(size) - 8);
}

// A sum of n terms in fp32 is off by n 2^-24 of the terms' sizes at most.
void expect_close(const Sums& expected, const Buffer& found, const char* what) {
  const Buffer& values = found;
  const bool in_bf16 = found.type() == DataType::bf16;
  const double fp32 = 512 * std::ldexp(1.0, -24);
  for (std::size_t at = 0; at < expected.sums.values.size(); ++at) {
    double value = 0;
    if (in_bf16)
      value = float_of_bf16(reinterpret_cast<const std::uint16_t*>(values.bytes().data())[at]);
    else
      value = static_cast<double>(values.floats()[at]);
    const double sum = expected.sums.values[at];
    const double sums_error = fp32 * expected.sizes.values[at];
    const double rounding = in_bf16 ? half_spacing_of_bf16(std::fabs(sum) + sums_error) : 0;
    ASSERT_NEAR(value, sum, rounding + sums_error) << what << " " << at;
  }
}

Buffer in_bf16(const Matrix& matrix) {
  Buffer made(matrix.rows * matrix.columns, DataType::bf16);
  for (std::size_t at = 0; at < matrix.values.size(); ++at)
    reinterpret_cast<std::uint16_t*>(made.bytes().data())[at] =
        bf16_of(static_cast<float>(matrix.values[at]));
  return made;
}

class Float8Linear : public testing::TestWithParam<Float8Scaling> {
 protected:
  static constexpr Index rows = 150, in = 200, out = 140;  // no block divides them

  Float8Linear() {
    shape_.type = DataType::bf16;
    shape_.float8 = Float8Recipe{.scaling = GetParam(), .history = 4};
  }

  const Model model_ = toy_gpt2();
  const std::vector<Chunk> chunks_{{0, 1, true, true}};
  const ParameterLayout layout_{{model_, {1, 1}, 0, chunks_}};
  RankShape shape_;
  const std::unique_ptr<kernels::Kernels> kernels_ = kernels::reference_kernels();
  Workplace place_{*kernels_};
  WeightStore store_{layout_, DataType::bf16, GradientHome::sections, place_};
};

TEST_P(Float8Linear, ForwardAndBothGradientsAreThoseOfTheQuantisedNumbers) {
  BufferMath math(place_, shape_, store_);
  Float8Maxima maxima(layout_, shape_.float8, place_);
  Float8Math float8(math, maxima);
  const Matrix x = random_matrix(rows, in, 1, 1), w = random_matrix(in, out, 2, 0.02),
               dy = random_matrix(rows, out, 3, 1e-5);
  const Buffer x_buffer = in_bf16(x), w_buffer = in_bf16(w), dy_buffer = in_bf16(dy);
  const FactorName weight{1, LayerProduct::mlp_up, Factor::weight};
  Float8Operand x_codes, dy_codes;
  for (const Turned turn : {Turned::no, Turned::yes}) {
    float8.cast({{1, LayerProduct::mlp_up, Factor::input}, rows, in, x_buffer.at()}, turn, x_codes);
    float8.cast({{1, LayerProduct::mlp_up, Factor::gradient}, rows, out, dy_buffer.at()}, turn,
                dy_codes);
  }
  Buffer y(rows * out, DataType::bf16), dx(rows * in, DataType::bf16), dw(in * out, DataType::fp32);
  const Product size{rows, in, out};
  float8.product(weight, size, x_codes, w_buffer.at(), {}, y);
  float8.input_gradient(weight, size, dy_codes, w_buffer.at(), dx);
  float8.weight_gradient(size, x_codes, dy_codes, {dw.floats(), kernels::GradientWrite::overwrite});

  const bool blocks = GetParam() == Float8Scaling::block;
  const Index all = 1 << 20, line = blocks ? 1 : all, of_128 = blocks ? 128 : all;
  const Matrix w_codes = quantised(e4m3, w, of_128, of_128);
  expect_close(product(quantised(e4m3, x, line, of_128), turned(w_codes)), y, "y");
  expect_close(product(quantised(e5m2, dy, line, of_128), w_codes), dx, "dx");
  expect_close(
      product(quantised(e4m3, turned(x), line, of_128), quantised(e5m2, turned(dy), line, of_128)),
      dw, "dw");
}

// Rows of two ranks in codes, with scales of their own, and in 16 bits again on the other side.
TEST_P(Float8Linear, WhatRanksGatherInCodesIsWhatEachQuantised) {
  BufferMath math(place_, shape_, store_);
  Float8Maxima maxima(layout_, shape_.float8, place_);
  Float8Math float8(math, maxima);
  Matrix upper = random_matrix(rows / 2, in, 4, 1), lower = random_matrix(rows / 2, in, 5, 100);
  const FactorName name{1, LayerProduct::qkv, Factor::input};
  const Buffer upper_buffer = in_bf16(upper), lower_buffer = in_bf16(lower);
  const Buffer first = float8.packed({name, rows / 2, in, upper_buffer.at()});
  const Buffer second = float8.packed({name, rows / 2, in, lower_buffer.at()});
  ASSERT_EQ(first.count(), second.count());
  Buffer gathered = part_in_whole(place_, first, 0, 2);
  std::copy(second.bytes().begin(), second.bytes().end(),
            gathered.bytes(first.count(), second.count()).begin());
  const Buffer whole = float8.unpacked(name, rows, in, 2, gathered);
  const bool blocks = GetParam() == Float8Scaling::block;
  const Index all = 1 << 20, line = blocks ? 1 : all, of_128 = blocks ? 128 : all;
  Index at = 0;
  for (const Matrix& each : {upper, lower})
    for (const double value : quantised(e4m3, each, line, of_128).values)
      ASSERT_EQ(float_of_bf16(reinterpret_cast<const std::uint16_t*>(whole.bytes().data())[at++]),
                value);
}

INSTANTIATE_TEST_SUITE_P(Scalings, Float8Linear,
                         testing::Values(Float8Scaling::delayed, Float8Scaling::current,
                                         Float8Scaling::block));

// Under delayed scaling codes are made for the largest value of the steps before, which one of this
// step may go beyond: it becomes the largest code. History 2, no margin; w and all else aside, x is
// one number, whose scale is that of 448 = 1.75 * 2^8 codes.
//   step    1       2        3         4        5
//   x       1       4        1000      1        1
//   scale   2^-8    2^-8     2^-6      4        4         of 1 (itself), 1, 4, 1000, 1000
//   y       1       1.75     7         1        1         (448 * 2^-8, 448 * 2^-6)
TEST(Float8Delayed, ScalesAreThoseOfTheStepsBeforeAsWorkedByHand) {
  const Model model = toy_gpt2();
  const std::vector<Chunk> chunks{{0, 1, true, true}};
  const ParameterLayout layout({model, {1, 1}, 0, chunks});
  const auto kernels = kernels::reference_kernels();
  Workplace place(*kernels);
  WeightStore store(layout, DataType::bf16, GradientHome::sections, place);
  RankShape shape;
  shape.type = DataType::bf16;
  shape.float8 = Float8Recipe{.scaling = Float8Scaling::delayed, .history = 2};
  BufferMath math(place, shape, store);
  Float8Maxima maxima(layout, shape.float8, place);
  Float8Math float8(math, maxima);
  const double seen[] = {1, 4, 1000, 1, 1}, expected[] = {1, 1.75, 7, 1, 1};
  const Buffer one = in_bf16({1, 1, {1}});
  for (int step = 0; step < 5; ++step) {
    const Buffer x = in_bf16({1, 1, {seen[step]}});
    Float8Operand codes;
    float8.cast({{1, LayerProduct::qkv, Factor::input}, 1, 1, x.at()}, Turned::no, codes);
    Buffer y(1, DataType::bf16);
    float8.product({1, LayerProduct::qkv, Factor::weight}, {1, 1, 1}, codes, one.at(), {}, y);
    EXPECT_EQ(float_of_bf16(*reinterpret_cast<const std::uint16_t*>(y.bytes().data())),
              static_cast<float>(expected[step]))
        << "step " << step + 1;
    float8.end_step();
  }
  // qkv's input, the oldest step first.
  const std::vector<float> history = maxima.history(1);
  EXPECT_EQ(history[0], 1.0F);
  EXPECT_EQ(history[1], 1.0F);
}

}  // namespace
}  // namespace quintet::engine::test
