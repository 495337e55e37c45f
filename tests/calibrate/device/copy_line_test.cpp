// Starts and rates of copies from times that are known.
#include "calibrate/device/copy_line.h"

#include <gtest/gtest.h>

#include <vector>

namespace quintet::calibrate {
namespace {

using namespace literals;

std::vector<CopyTime> times_of(Seconds start, Bandwidth rate) {
  std::vector<CopyTime> times;
  for (double size = 4096; size <= 1 << 28; size *= 4)
    times.push_back({Bytes{size}, start + Bytes{size} / rate});
  return times;
}

TEST(CopyLine, FindsTheStartAndTheRateThatTimesWereMadeOf) {
  const auto line = copy_line(times_of(3_us, 50_GBps));
  ASSERT_TRUE(line);
  EXPECT_NEAR(line->start.value, 3e-6, 1e-12);
  EXPECT_NEAR(line->rate.value, 50e9, 1e3);
  EXPECT_NEAR(line->held_out, 0, 1e-6);
  EXPECT_NEAR(time_of(1_MB, *line).value, 23e-6, 1e-9);  // 3 us + 1 MB / 50 GB/s
}

// Every second one is a tenth longer: no line is nearer than half of that to all.
TEST(CopyLine, TellsHowFarSizesLeftOutLieFromTheOthersLine) {
  std::vector<CopyTime> times = times_of(3_us, 50_GBps);
  for (std::size_t each = 0; each < times.size(); each += 2)
    times[each].time = times[each].time * 1.1;
  const auto line = copy_line(times);
  ASSERT_TRUE(line);
  EXPECT_GT(line->held_out, 0.03);
  EXPECT_LT(line->held_out, 0.12);
}

TEST(CopyLine, HasNoStartBelowNone) {
  std::vector<CopyTime> times = times_of(0_us, 50_GBps);
  times.front().time = times.front().time * 0.5;
  const auto line = copy_line(times);
  ASSERT_TRUE(line);
  EXPECT_EQ(line->start, Seconds{});
}

TEST(CopyLine, IsNoneOfTooLittle) {
  const std::vector<CopyTime> all = times_of(3_us, 50_GBps);
  EXPECT_FALSE(copy_line(std::span(all).first(2)));
  const std::vector<CopyTime> one_size(4, CopyTime{1_MB, 20_us});
  EXPECT_FALSE(copy_line(one_size));
  const std::vector<CopyTime> nothing(4, CopyTime{1_MB, 0_us});
  EXPECT_FALSE(copy_line(nothing));
}

}  // namespace
}  // namespace quintet::calibrate
