#include "sim/base/units.h"

#include <gtest/gtest.h>

#include "sim/base/data_type.h"
#include "sim/base/ids.h"

namespace quintet {
namespace {

using namespace literals;

TEST(Units, BytesOverBandwidthAreSeconds) {
  // 100 GB over 50 GB/s; 400 Gb/s are 50 GB/s.
  EXPECT_EQ(100_GB / 50_GBps, 2_s);
  EXPECT_EQ(400_Gbps, 50_GBps);
}

TEST(Units, BinaryPrefixesArePowersOf1024) {
  EXPECT_EQ((1_GiB).value, 1073741824.0);
  EXPECT_EQ((1_GB).value, 1e9);
}

TEST(Units, AnHourOfSecondsCostsThePriceOfAnHour) {
  EXPECT_EQ(DollarsPerHour{2.5} * Seconds{3600}, Dollars{2.5});
}

TEST(Units, ATimeEntersEventTimeAtTheNearestPicosecond) {
  // 1.4 ps rounds down, 1.6 ps up; 1.2 us are 1,200,000 ps.
  EXPECT_EQ(duration(Seconds{1.4e-12}), Duration{1});
  EXPECT_EQ(duration(Seconds{1.6e-12}), Duration{2});
  EXPECT_EQ(duration(1.2_us), Duration{1'200'000});
}

TEST(Units, AnHundredDayRunStillCountsPicoseconds) {
  // 106 days are 9,158,400 s = 9.1584e18 ps, below 2^63 - 1 = 9.223e18.
  EXPECT_EQ(duration(Seconds{106.0 * 86400.0}).picoseconds, 9'158'400'000'000'000'000);
}

// 107 days are past 2^63 ps; so are 60 days after 60 days, and a time that is no number.
TEST(Units, WhatLiesPastTheEndOfTimeLiesAtItsEnd) {
  const Seconds day{86400.0};
  EXPECT_EQ(Instant{} + 107.0 * day, end_of_time);
  EXPECT_EQ(Instant{} + 60.0 * day + 60.0 * day, end_of_time);
  EXPECT_EQ(Instant{} + (duration(60.0 * day) + duration(60.0 * day)), end_of_time);
  EXPECT_EQ(Instant{} + Seconds{0.0 / 0.0}, end_of_time);
  EXPECT_LT(Instant{} + 60.0 * day + 46.0 * day, end_of_time);
}

TEST(Ids, AnIdStartsAsNone) {
  EXPECT_FALSE(Rank{}.valid());
  EXPECT_EQ(id_at<Rank>(3), Rank{3});
}

TEST(DataType, SizesAreThoseOfTheFormats) {
  EXPECT_EQ(size_of(DataType::tf32), 4_B);  // stored as fp32
  EXPECT_EQ(size_of(DataType::bf16), 2_B);
  EXPECT_EQ(size_of(DataType::fp8), 1_B);
}

}  // namespace
}  // namespace quintet
