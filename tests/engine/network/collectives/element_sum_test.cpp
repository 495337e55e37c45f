#include "engine/network/collectives/element_sum.h"
#include "engine/files/storage/half_floats.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace quintet::engine {
namespace {

// The value of an IEEE 754 binary16, from its definition.
float defined_fp16(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31, fraction = bits & 1023;
  const float sign = (bits & 0x8000) != 0 ? -1.0f : 1.0f;
  if (exponent == 31)
    return fraction != 0 ? std::numeric_limits<float>::quiet_NaN()
                         : sign * std::numeric_limits<float>::infinity();
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
}

bool is_nan(std::uint16_t bits) {
  return (bits & 0x7c00) == 0x7c00 && (bits & 0x03ff) != 0;
}

TEST(Fp16, EveryValueIsReadAndWrittenBack) {
  for (std::uint32_t i = 0; i < 65536; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    if (is_nan(bits)) {
      EXPECT_TRUE(std::isnan(float_of_fp16(bits)));
      EXPECT_TRUE(is_nan(fp16_of(float_of_fp16(bits))));
    } else {
      ASSERT_EQ(float_of_fp16(bits), defined_fp16(bits)) << bits;
      ASSERT_EQ(fp16_of(defined_fp16(bits)), bits) << bits;
    }
  }
}

// Half way between neighbours goes to the even one; a little more or less to the nearer.
TEST(Fp16, RoundsToNearestEven) {
  for (std::uint16_t bits = 0; bits < 0x7bff; ++bits) {
    const float low = defined_fp16(bits), high = defined_fp16(static_cast<std::uint16_t>(bits + 1));
    const float half = low + (high - low) / 2;
    const auto even = static_cast<std::uint16_t>(bits + (bits & 1));
    ASSERT_EQ(fp16_of(half), even) << bits;
    ASSERT_EQ(fp16_of(std::nextafter(half, 0.0f)), bits) << bits;
    ASSERT_EQ(fp16_of(std::nextafter(half, 1e9f)), bits + 1) << bits;
  }
}

// The largest is 65504; from 65520 on it is infinity.
TEST(Fp16, EndsInInfinity) {
  EXPECT_EQ(fp16_of(65519.996f), 0x7bff);
  EXPECT_EQ(fp16_of(65520.0f), 0x7c00);
  EXPECT_EQ(fp16_of(-1e30f), 0xfc00);
  EXPECT_EQ(fp16_of(std::numeric_limits<float>::infinity()), 0x7c00);
}

TEST(Bf16, RoundsToNearestEven) {
  EXPECT_EQ(bf16_of(std::bit_cast<float>(0x3f808000u)), 0x3f80);
  EXPECT_EQ(bf16_of(std::bit_cast<float>(0x3f818000u)), 0x3f82);
  EXPECT_EQ(bf16_of(std::bit_cast<float>(0x3f808001u)), 0x3f81);
  EXPECT_EQ(bf16_of(std::bit_cast<float>(0x7f7fffffu)), 0x7f80) << "overflow";
  EXPECT_TRUE(std::isnan(float_of_bf16(bf16_of(std::bit_cast<float>(0x7f800001u)))));
}

// 256 + 1 + 1: each addition rounds to bf16's 8 bits, 257 -> 256 (even). In one fp32 sum it would
// be 258.
TEST(ReduceInto, RoundsOnceAnAddition) {
  std::uint16_t sum = bf16_of(256.0f);
  const std::uint16_t one = bf16_of(1.0f);
  for (int i = 0; i < 2; ++i)
    reduce_into(std::as_writable_bytes(std::span(&sum, 1)), std::as_bytes(std::span(&one, 1)),
                DataType::bf16, Reduction::sum);
  EXPECT_EQ(float_of_bf16(sum), 256.0f);
}

TEST(ReduceInto, KeepsANotANumberInAMaximum) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::array<float, 4> target{1.0f, nan, 2.0f, -3.0f};
  const std::array<float, 4> arrived{nan, 1.0f, 5.0f, -4.0f};
  reduce_into(std::as_writable_bytes(std::span(target)), std::as_bytes(std::span(arrived)),
              DataType::fp32, Reduction::maximum);
  EXPECT_TRUE(std::isnan(target[0]) && std::isnan(target[1]));
  EXPECT_EQ(target[2], 5.0f);
  EXPECT_EQ(target[3], -3.0f);
}

}  // namespace
}  // namespace quintet::engine
