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
