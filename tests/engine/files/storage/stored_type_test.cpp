#include "engine/files/storage/stored_type.h"
#include "engine/files/storage/half_floats.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace quintet {
namespace {

// Sign 1, exponent 5 (bias 15), fraction 10 bits (IEEE 754-2008): the largest is 65504 = 7BFF, the
// smallest normal 2^-14 = 0400, the smallest 2^-24 = 0001; 1/3 lies between 3555 and 3556.
TEST(Fp16, HasTheValuesOfIeee754) {
  EXPECT_EQ(float_of_fp16(0x7BFF), 65504.0f);
  EXPECT_EQ(float_of_fp16(0x0400), 0x1p-14f);
  EXPECT_EQ(float_of_fp16(0x8001), -0x1p-24f);
  EXPECT_EQ(fp16_of(1.0f / 3.0f), 0x3555);
  EXPECT_EQ(fp16_of(65519.0f), 0x7BFF);
  EXPECT_EQ(fp16_of(65520.0f), 0x7C00);
  EXPECT_EQ(fp16_of(-std::numeric_limits<float>::infinity()), 0xFC00);
  EXPECT_TRUE(std::isnan(float_of_fp16(fp16_of(std::nanf("")))));
}

TEST(Fp16, EveryValueComesBack) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    if (std::isnan(float_of_fp16(half))) continue;
    EXPECT_EQ(fp16_of(float_of_fp16(half)), half);
  }
}

// Halfway between two neighbours goes to the even one, above it up, below it down.
TEST(Fp16, RoundsToTheNearestTiesToEven) {
  for (std::uint32_t bits = 0; bits < 0x7BFF; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const auto above = static_cast<std::uint16_t>(bits + 1);
    const float middle = (float_of_fp16(half) + float_of_fp16(above)) / 2;
    EXPECT_EQ(fp16_of(middle), bits % 2 == 0 ? half : above) << bits;
    EXPECT_EQ(fp16_of(std::nextafterf(middle, 0.0f)), half) << bits;
    EXPECT_EQ(fp16_of(std::nextafterf(middle, 1e9f)), above) << bits;
  }
}

TEST(Bf16, EveryValueComesBackAndTiesGoToEven) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    if (std::isnan(float_of_bf16(half))) continue;
    EXPECT_EQ(bf16_of(float_of_bf16(half)), half);
  }
  // 1 + 2^-8 lies halfway between 1 = 3F80 and 3F81; 1 + 3 * 2^-8 between 3F81 and 3F82.
  EXPECT_EQ(bf16_of(1.0f + 0x1p-8f), 0x3F80);
  EXPECT_EQ(bf16_of(1.0f + 3 * 0x1p-8f), 0x3F82);
  EXPECT_EQ(bf16_of(std::numeric_limits<float>::max()), 0x7F80);
  EXPECT_TRUE(std::isnan(float_of_bf16(bf16_of(std::bit_cast<float>(0x7FFFFFFFu)))));
}

TEST(StoredType, NamesAreThoseOfSafetensors) {
  EXPECT_EQ(stored_type_of("BF16"), StoredType::bf16);
  EXPECT_EQ(stored_type_of("F8_E4M3"), StoredType::fp8_e4m3);
  EXPECT_EQ(stored_type_of("bf16"), std::nullopt);
  EXPECT_EQ(name_of(StoredType::uint64), "U64");
  EXPECT_EQ(size_of(StoredType::uint64), 8u);
}

}  // namespace
}  // namespace quintet
