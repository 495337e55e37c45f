// 8-bit codes at every boundary, scales of all kinds, products: against the definitions in double.
#include <algorithm>

#include "tests/kernels/support.h"

namespace quintet::kernels {
namespace {

constexpr Float8Form forms[] = {Float8Form::e4m3, Float8Form::e5m2};
constexpr ScaleBlocks all_blocks[] = {ScaleBlocks::tensor, ScaleBlocks::rows_of_128,
                                      ScaleBlocks::squares_of_128};

// Sign, exponent, fraction as https://arxiv.org/abs/2209.05433, table 1, has them.
double value_of(Float8Form form, unsigned code) {
  const int fraction_bits = form == Float8Form::e4m3 ? 3 : 2,
            bias = form == Float8Form::e4m3 ? 7 : 15;
  const int exponent = static_cast<int>(code & 0x7F) >> fraction_bits;
  const double fraction = static_cast<double>(code & ((1U << fraction_bits) - 1U)) /
                          static_cast<double>(1 << fraction_bits);
  const double size =
      exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1.0 + fraction, exponent - bias);
  return code >= 0x80 ? -size : size;
}

unsigned largest_code(Float8Form form) {
  return form == Float8Form::e4m3 ? 0x7E : 0x7B;
}

// The nearest code; of two the even one.
unsigned nearest(Float8Form form, double value) {
  const unsigned sign = std::signbit(value) ? 0x80 : 0;
  const double size = std::fabs(value);
  unsigned code = 0;
  while (code < largest_code(form) && value_of(form, code + 1) <= size) ++code;
  if (code == largest_code(form)) return sign | code;
  const double below = size - value_of(form, code), above = value_of(form, code + 1) - size;
  return sign | (above < below || (above == below && code % 2 == 1) ? code + 1 : code);
}

class Float8s : public Operators {
 protected:
  void SetUp() override {
    Operators::SetUp();
    if (kernels_ == nullptr) return;
    float8_ = kernels_->on_float8();
    if (float8_ == nullptr) GTEST_SKIP() << GetParam().name << " has none of these operators";
  }

  // Under a scale of 1.
  std::vector<unsigned> codes_of(Float8Form form, const Floats& values) {
    const float maximum = largest_float8(form);
    const auto count = static_cast<Index>(values.size());
    std::vector<Float8> codes(values.size(), Float8{0xAA});
    float scale = 0;
    float8_->quantise({form, ScaleBlocks::tensor, QuantiseAs::it_is, 1, count, values.data(),
                       &maximum, codes.data(), &scale},
                      stream_);
    EXPECT_EQ(scale, 1.0F);
    std::vector<unsigned> made;
    for (const Float8 code : codes) made.push_back(code.bits);
    return made;
  }

  Float8Kernels* float8_ = nullptr;
};
QUINTET_ON_EVERY_IMPLEMENTATION(Float8s);

// Each code gives its value, the middle to the next, and the numbers on both sides of the middle.
TEST_P(Float8s, EveryCodeAndEveryBoundaryRoundsToNearestTiesToEven) {
  for (const Float8Form form : forms) {
    Floats values;
    for (unsigned code = 0; code < largest_code(form); ++code) {
      const auto value = static_cast<float>(value_of(form, code));
      const auto middle =
          static_cast<float>((value_of(form, code) + value_of(form, code + 1)) / 2.0);
      for (const float x :
           {value, middle, std::nextafter(middle, 0.0F), std::nextafter(middle, 1e9F)}) {
        values.push_back(x);
        values.push_back(-x);
      }
    }
    std::vector<unsigned> expected;
    for (const float x : values) expected.push_back(nearest(form, static_cast<double>(x)));
    EXPECT_EQ(codes_of(form, values), expected);
  }
}

TEST_P(Float8s, WhatIsTooLargeBecomesTheLargestCode) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const Float8Form form : forms) {
    const float most = largest_float8(form);
    const unsigned code = largest_code(form);
    EXPECT_EQ(codes_of(form, {most, std::nextafter(most, infinity), 1e30F, infinity, -infinity}),
              (std::vector<unsigned>{code, code, code, code, code | 0x80}));
    const auto nan = codes_of(form, {std::numeric_limits<float>::quiet_NaN()});
    EXPECT_EQ(nan[0] & 0x7F, 0x7FU);
  }
}

TEST_P(Float8s, MaximumIsTheLargestMagnitudeAndNanIfThereIsOne) {
  Floats values = random_floats(40001, 1);
  values[33333] = -77.5F;
  float found = 0;
  float8_->absolute_maximum({40001, values.data(), &found}, stream_);
  EXPECT_EQ(found, 77.5F);
  const auto half = narrow(*kernels_, values);
  float8_->absolute_maximum({40001, half.data(), &found}, stream_);
  EXPECT_EQ(found, 77.5F);
  values[5] = std::numeric_limits<float>::quiet_NaN();
  float8_->absolute_maximum({40001, values.data(), &found}, stream_);
  EXPECT_TRUE(std::isnan(found));
  float8_->absolute_maximum({0, values.data(), &found}, stream_);
  EXPECT_EQ(found, 0.0F);
}

struct Quantised {
  Index lines = 0, depth = 0;
  std::vector<Float8> codes{};
  Floats scales{};

  Float8Matrix matrix(Float8Form form, ScaleBlocks blocks) const {
    return {form, blocks, codes.data(), scales.data()};
  }
};

// The manual's layouts, written out again.
std::size_t place_of(ScaleBlocks blocks, const Quantised& q, Index line, Index k) {
  const Index padded = (q.depth + 511) / 512 * 4;
  if (blocks == ScaleBlocks::rows_of_128) return size_of(k / 128 * q.lines + line);
  if (blocks == ScaleBlocks::squares_of_128) return size_of(line / 128 * padded + k / 128);
  return 0;
}

Quantised quantise(Float8Kernels& kernels, Quantise a) {
  Stream stream;
  Quantised made;
  const bool turned = a.as == QuantiseAs::transpose;
  made.lines = turned ? a.columns : a.rows;
  made.depth = turned ? a.rows : a.columns;
  made.codes.assign(size_of(a.rows * a.columns), Float8{0xAA});
  made.scales = poisoned(scale_count(a.blocks, made.lines, made.depth));
  float maximum = 0;
  kernels.absolute_maximum({a.rows * a.columns, a.input, &maximum}, stream);
  a.maximum = &maximum;
  a.codes = made.codes.data();
  a.scales = made.scales.data();
  kernels.quantise(a, stream);
  return made;
}

float largest_of_block(ScaleBlocks blocks, const Quantised& q, const Floats& lines, Index line,
                       Index k) {
  const bool whole = blocks == ScaleBlocks::tensor, square = blocks == ScaleBlocks::squares_of_128;
  const Index first_line = whole ? 0 : square ? line / 128 * 128 : line;
  const Index end_line = whole ? q.lines : square ? std::min(q.lines, first_line + 128) : line + 1;
  const Index first = whole ? 0 : k / 128 * 128,
              end = whole ? q.depth : std::min(q.depth, first + 128);
  float largest = 0;
  for (Index l = first_line; l < end_line; ++l)
    for (Index at = first; at < end; ++at)
      largest = std::max(largest, std::fabs(lines[size_of(l * q.depth + at)]));
  return largest;
}

// Sizes that no block divides; each block's scale where the layout has it, each code the nearest.
TEST_P(Float8s, ScalesAndCodesOfEveryKindOfBlockBothWaysRound) {
  const Index rows = 140, columns = 264;
  const Floats values = random_floats(rows * columns, 2);
  for (const ScaleBlocks blocks : all_blocks)
    for (const QuantiseAs as : {QuantiseAs::it_is, QuantiseAs::transpose}) {
      const Float8Form form = as == QuantiseAs::it_is ? Float8Form::e4m3 : Float8Form::e5m2;
      const Quantised q = quantise(*float8_, {form, blocks, as, rows, columns, values.data()});
      Floats lines = values;
      if (as == QuantiseAs::transpose)
        for (Index l = 0; l < q.lines; ++l)
          for (Index k = 0; k < q.depth; ++k)
            lines[size_of(l * q.depth + k)] = values[size_of(k * columns + l)];
      for (Index l = 0; l < q.lines; l += 7)
        for (Index k = 0; k < q.depth; k += l % 2 == 0 ? 3 : 37) {
          const float scale = largest_of_block(blocks, q, lines, l, k) / largest_float8(form);
          ASSERT_EQ(q.scales[place_of(blocks, q, l, k)], scale) << l << ", " << k;
          const auto at = size_of(l * q.depth + k);
          ASSERT_EQ(q.codes[at].bits, nearest(form, static_cast<double>(lines[at] / scale)))
              << l << ", " << k;
        }
    }
}

TEST_P(Float8s, Bf16IsQuantisedLikeTheSameNumbersInFp32) {
  const auto half = narrow(*kernels_, random_floats(130 * 136, 3));
  const Floats wide = widened(*kernels_, half);
  for (const ScaleBlocks blocks : all_blocks)
    for (const QuantiseAs as : {QuantiseAs::it_is, QuantiseAs::transpose}) {
      const Quantised a = quantise(*float8_, {Float8Form::e4m3, blocks, as, 130, 136, half.data()});
      const Quantised b = quantise(*float8_, {Float8Form::e4m3, blocks, as, 130, 136, wide.data()});
      for (std::size_t i = 0; i < a.codes.size(); ++i)
        ASSERT_EQ(a.codes[i].bits, b.codes[i].bits) << i;
    }
}

TEST_P(Float8s, ZerosHaveAScaleAndANanSpoilsItsBlockAlone) {
  Floats values(2 * 256, 0.0F);
  values[300] = std::numeric_limits<float>::quiet_NaN();  // row 1, first block
  const Quantised q = quantise(*float8_, {Float8Form::e4m3, ScaleBlocks::rows_of_128,
                                          QuantiseAs::it_is, 2, 256, values.data()});
  EXPECT_TRUE(std::isfinite(q.scales[0]) && q.scales[0] > 0.0F);
  EXPECT_TRUE(std::isnan(q.scales[1]));
  EXPECT_EQ(q.codes[0].bits, 0);
  EXPECT_EQ(q.codes[256].bits & 0x7F, 0x7F);
  EXPECT_EQ(q.codes[256 + 128].bits, 0);
}

// 3 is under the maximum of steps before, 8 is above it: 448 / 4 codes to the unit.
TEST_P(Float8s, AGivenMaximumMakesTheScaleAndWhatIsBeyondIsTheLargestCode) {
  const Floats values{3.0F, 8.0F, -8.0F, 4.0F};
  const float maximum = 4.0F;
  std::vector<Float8> codes(4);
  float scale = 0;
  float8_->quantise({Float8Form::e4m3, ScaleBlocks::tensor, QuantiseAs::it_is, 1, 4, values.data(),
                     &maximum, codes.data(), &scale},
                    stream_);
  EXPECT_EQ(scale, 4.0F / 448.0F);
  EXPECT_EQ(codes[0].bits, nearest(Float8Form::e4m3, static_cast<double>(3.0F / scale)));
  EXPECT_EQ(codes[1].bits, 0x7E);
  EXPECT_EQ(codes[2].bits, 0xFE);
  EXPECT_EQ(codes[3].bits, 0x7E);
}

Doubles values_of(Float8Form form, ScaleBlocks blocks, const Quantised& q) {
  Doubles made;
  for (Index l = 0; l < q.lines; ++l)
    for (Index k = 0; k < q.depth; ++k)
      made.push_back(value_of(form, q.codes[size_of(l * q.depth + k)].bits) *
                     static_cast<double>(q.scales[place_of(blocks, q, l, k)]));
  return made;
}

Doubles product_of(Index rows, Index columns, Index depth, const Doubles& a, const Doubles& b) {
  Doubles c;
  for (Index r = 0; r < rows; ++r)
    for (Index i = 0; i < columns; ++i) {
      double sum = 0.0;
      for (Index k = 0; k < depth; ++k)
        sum += a[size_of(r * depth + k)] * b[size_of(i * depth + k)];
      c.push_back(sum);
    }
  return c;
}

TEST_P(Float8s, ProductsOfEveryPairOfFormsAndBlocksAreTheSumsOfProducts) {
  const Index rows = 12, columns = 24, depth = 144;  // two blocks of 128, the second not full
  const Floats a = random_floats(rows * depth, 4), b = random_floats(columns * depth, 5);
  for (const ScaleBlocks a_blocks : all_blocks)
    for (const ScaleBlocks b_blocks : all_blocks)
      for (const Float8Form a_form : forms) {
        const Float8Form b_form = Float8Form::e4m3;
        const Quantised qa =
            quantise(*float8_, {a_form, a_blocks, QuantiseAs::it_is, rows, depth, a.data()});
        const Quantised qb =
            quantise(*float8_, {b_form, b_blocks, QuantiseAs::it_is, columns, depth, b.data()});
        Doubles expected = product_of(rows, columns, depth, values_of(a_form, a_blocks, qa),
                                      values_of(b_form, b_blocks, qb));
        Floats c = poisoned(rows * columns);
        Float8Gemm g{
            rows,    columns, depth, qa.matrix(a_form, a_blocks), qb.matrix(b_form, b_blocks),
            c.data()};
        float8_->float8_gemm(g, stream_);
        EXPECT_LT(relative_error(c, expected), fp32_tolerance);
        g.write = GradientWrite::accumulate;
        float8_->float8_gemm(g, stream_);
        auto half = poisoned_bf16(rows * columns);
        g.write = GradientWrite::overwrite;
        g.c = half.data();
        float8_->float8_gemm(g, stream_);
        EXPECT_LT(relative_error(widened(*kernels_, half), expected), bf16_tolerance);
        for (double& value : expected) value *= 2.0;
        EXPECT_LT(relative_error(c, expected), fp32_tolerance);
      }
}

TEST_P(Float8s, OddSizesAndTwoGradientsAreMultipliedToo) {
  const Index rows = 70, columns = 67, depth = 131;  // beyond a tile of 64 by 64 both ways
  const Floats a = random_floats(rows * depth, 6), b = random_floats(columns * depth, 7);
  const auto form = Float8Form::e5m2;
  const auto blocks = ScaleBlocks::tensor;
  const Quantised qa = quantise(*float8_, {form, blocks, QuantiseAs::it_is, rows, depth, a.data()});
  const Quantised qb =
      quantise(*float8_, {form, blocks, QuantiseAs::it_is, columns, depth, b.data()});
  Floats c = poisoned(rows * columns);
  float8_->float8_gemm(
      {rows, columns, depth, qa.matrix(form, blocks), qb.matrix(form, blocks), c.data()}, stream_);
  EXPECT_LT(relative_error(c, product_of(rows, columns, depth, values_of(form, blocks, qa),
                                         values_of(form, blocks, qb))),
            fp32_tolerance);
}

}  // namespace
}  // namespace quintet::kernels
