#include "tests/kernels/support.h"

namespace quintet::kernels {
namespace {

class Elementwise : public Operators {};
QUINTET_ON_EVERY_IMPLEMENTATION(Elementwise);

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

TEST_P(Elementwise, ResidualAddAccumulateAndScale) {
  const Floats left = random_floats(37, 1), right = random_floats(37, 2);
  Floats sum = poisoned(37), expected;
  for (std::size_t i = 0; i < 37; ++i) expected.push_back(left[i] + right[i]);
  kernels_->residual_add({37, left.data(), right.data(), sum.data()}, stream_);
  EXPECT_EQ(sum, expected);
  kernels_->accumulate({37, left.data(), sum.data()}, stream_);
  for (std::size_t i = 0; i < 37; ++i) expected[i] += left[i];
  EXPECT_EQ(sum, expected);
  const float factor = 0.3F;
  kernels_->scale({37, sum.data(), &factor}, stream_);
  for (float& value : expected) value *= factor;
  EXPECT_EQ(sum, expected);
}

TEST_P(Elementwise, Bf16AddendsAreSummedInFp32) {
  const auto addend = narrow(*kernels_, Floats{0.5F});
  Floats sum{1024.5F};  // no bf16 number
  kernels_->accumulate({1, addend.data(), sum.data()}, stream_);
  EXPECT_EQ(sum[0], 1025.0F);
}

Combine combine_of(Floats& first, Floats& second, Floats& third) {
  Combine made{static_cast<Index>(first.size())};
  made.terms = 3;
  made.term[0] = first.data();
  made.term[1] = second.data();
  made.term[2] = third.data();
  return made;
}

// (1e8 + 1) - 1e8 is 0 in fp32; in another order it would be 1. 37: no multiple of any vector.
TEST_P(Elementwise, TermsAreAddedInTheirOrderIntoAllOfThem) {
  for (const std::size_t count : {std::size_t{37}, std::size_t{4096}}) {
    Floats first(count, 1e8F), second(count - 1, 1.0F), third(count, -1e8F);
    second.push_back(8.0F);  // as wide as fp32's spacing at 1e8
    Floats expected(count - 1, 0.0F);
    expected.push_back(8.0F);
    kernels_->combine(combine_of(first, second, third), stream_);
    EXPECT_EQ(first, expected);
    EXPECT_EQ(second, expected);
    EXPECT_EQ(third, expected);
  }
}

TEST_P(Elementwise, TheLargestTermMayGoIntoOneOfThem) {
  Floats first{1, -5, infinity, 0}, second{3, -6, 2, not_a_number}, third{2, -infinity, 4, -1};
  const Floats old_first = first, old_third = third;
  Combine largest = combine_of(first, second, third);
  largest.by = Combining::maximum;
  largest.into = 1;
  kernels_->combine(largest, stream_);
  EXPECT_EQ(second, (Floats{3, -5, infinity, 0}));
  EXPECT_EQ(first, old_first);
  EXPECT_EQ(third, old_third);
}

// bf16 has 8 bits: 256 + 1 is a tie that would round to 256 twice; the sum 258 is a bf16 number.
TEST_P(Elementwise, SixteenBitTermsAreRoundedOnce) {
  auto first = narrow(*kernels_, Floats(40, 256.0F)), second = narrow(*kernels_, Floats(40, 1.0F));
  auto third = second;
  Combine sum{40, ElementType::bf16, Combining::sum, 3};
  sum.term[0] = first.data();
  sum.term[1] = second.data();
  sum.term[2] = third.data();
  kernels_->combine(sum, stream_);
  EXPECT_EQ(widened(*kernels_, first), Floats(40, 258.0F));
  EXPECT_EQ(widened(*kernels_, third), Floats(40, 258.0F));
}

// Between 1 and 1 + 2^-7 lie 1 + 2^-8 (a tie, to the even 1) and a little more (up).
TEST_P(Elementwise, Bf16RoundsToNearestEven) {
  const Floats values{1.0F,     1.0F + 0x1p-8F, 1.0F + 0x1.01p-8F, 1.0F + 0x3p-8F, -0.0F,
                      infinity, -infinity,      0x1.FFFFFEp127F,   not_a_number};
  const Floats found = widened(*kernels_, narrow(*kernels_, values));
  EXPECT_EQ(part_of(found, 0, 8), (Floats{1.0F, 1.0F, 1.0F + 0x1p-7F, 1.0F + 0x1p-6F, -0.0F,
                                          infinity, -infinity, infinity}));
  EXPECT_TRUE(std::signbit(found[4]));
  EXPECT_TRUE(std::isnan(found[8]));
}

// Ties, the largest (65504), what rounds to infinity (65520), denormals (multiples of 2^-24).
TEST_P(Elementwise, Fp16RoundsToNearestEven) {
  const Floats values{1.0F,      1.0F + 0x1p-11F, 1.0F + 0x3p-11F, 65504.0F,        65519.0F,
                      65520.0F,  0x1p-24F,        0x1p-25F,        0x1.8p-24F,      -0x3p-20F,
                      -infinity, 0x1.FF8p-15F,    -0.0F,           0x1.FFFFFEp-15F, not_a_number};
  std::vector<Float16> half(values.size());
  Floats found = poisoned(static_cast<Index>(values.size()));
  const auto count = static_cast<Index>(values.size());
  kernels_->cast({count, values.data(), half.data()}, stream_);
  kernels_->cast({count, half.data(), found.data()}, stream_);
  const Floats expected{1.0F,      1.0F,         1.0F + 0x1p-9F, 65504.0F, 65504.0F,
                        infinity,  0x1p-24F,     0.0F,           0x1p-23F, -0x3p-20F,
                        -infinity, 0x1.FF8p-15F, -0.0F,          0x1p-14F};
  EXPECT_EQ(part_of(found, 0, 14), expected);
  EXPECT_TRUE(std::isnan(found[14]));
}

TEST_P(Elementwise, EveryHalfSurvivesTheWayThroughFp32) {
  constexpr Index all = 65536;
  std::vector<Float16> half(all), again(all);
  std::vector<Bfloat16> brain(all), brain_again(all);
  for (std::size_t i = 0; i < all; ++i)
    half[i].bits = brain[i].bits = static_cast<std::uint16_t>(i);
  Floats values = poisoned(all), brain_values = values;
  kernels_->cast({all, half.data(), values.data()}, stream_);
  kernels_->cast({all, values.data(), again.data()}, stream_);
  kernels_->cast({all, brain.data(), brain_values.data()}, stream_);
  kernels_->cast({all, brain_values.data(), brain_again.data()}, stream_);
  for (std::size_t i = 0; i < all; ++i) {
    EXPECT_TRUE(std::isnan(values[i]) || again[i].bits == half[i].bits) << i;
    EXPECT_TRUE(std::isnan(brain_values[i]) || brain_again[i].bits == brain[i].bits) << i;
  }
  // IEEE 754: 0x3555 = 2^-2 (1 + 341/1024), 0x0001 = 2^-24.
  EXPECT_EQ(values[0x3555], 0.25F * (1.0F + 341.0F / 1024.0F));
  EXPECT_EQ(values[0x0001], 0x1p-24F);
}

// 1 + 2^-30 is no float: the nearest is 1. What was a float comes back as it was.
TEST_P(Elementwise, SumsInDoubleGoToFloatAndBack) {
  const std::vector<double> sums{1.0 + std::ldexp(1.0, -30), -2.5, 1e300};
  Floats floats(3);
  kernels_->narrow({3, sums.data(), floats.data()}, stream_);
  EXPECT_EQ(floats, (Floats{1.0F, -2.5F, infinity}));
  std::vector<double> doubles(3);
  kernels_->widen({3, floats.data(), doubles.data()}, stream_);
  EXPECT_EQ(doubles, (std::vector<double>{1.0, -2.5, std::numeric_limits<double>::infinity()}));
}

TEST_P(Elementwise, OneNonFiniteAmongManyIsFound) {
  for (const float bad : {infinity, -infinity, not_a_number})
    for (const std::size_t place : {std::size_t{0}, std::size_t{70}, std::size_t{99}}) {
      Floats values = random_floats(100, 1, 1e30F);
      std::int32_t found = 0;
      kernels_->find_non_finite({100, values.data(), &found}, stream_);
      EXPECT_EQ(found, 0);
      values[place] = bad;
      kernels_->find_non_finite({100, values.data(), &found}, stream_);
      EXPECT_EQ(found, 1);
    }
}

TEST_P(Elementwise, WhatWasFoundIsNotForgotten) {
  const Floats fine{1.0F};
  std::int32_t found = 1;
  kernels_->find_non_finite({1, fine.data(), &found}, stream_);
  EXPECT_EQ(found, 1);
}

}  // namespace
}  // namespace quintet::kernels
