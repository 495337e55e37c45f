#include "traces/json_stream/decimal_numbers.h"

#include <gtest/gtest.h>

namespace quintet::json_stream {
namespace {

// 1694128201435377.123 us has 19 digits: a double would be 125 ns off.
TEST(DecimalNumbers, KeepsEveryDigit) {
  EXPECT_EQ(nanoseconds_of("1694128201435377.123"), 1694128201435377123);
  EXPECT_EQ(nanoseconds_of("4458676522879.66"), 4458676522879660);
  EXPECT_EQ(nanoseconds_of("0.001"), 1);
  EXPECT_EQ(nanoseconds_of("68.0"), 68000);
  EXPECT_EQ(nanoseconds_of("7"), 7000);
  EXPECT_EQ(nanoseconds_of("-3.5"), -3500);
}

TEST(DecimalNumbers, RoundsWhatIsFinerThanNanoseconds) {
  EXPECT_EQ(nanoseconds_of("1.0004"), 1000);
  EXPECT_EQ(nanoseconds_of("1.0005"), 1001);
  EXPECT_EQ(nanoseconds_of("1.9999"), 2000);
  EXPECT_EQ(nanoseconds_of("0.12345678901234567890123"), 123);
}

TEST(DecimalNumbers, ReadsExponents) {
  EXPECT_EQ(nanoseconds_of("5e-05"), 0);
  EXPECT_EQ(nanoseconds_of("1.5e3"), 1500000);
}

// 2^61 ns = 2305843009213693.952 us.
TEST(DecimalNumbers, RefusesWhatIsNoTime) {
  for (const auto* text : {"", "-", "abc", "1.2.3", "1x", ".5", "1e999", "1e17", "nan", "0x10",
                           "99999999999999999999999999", "2400000000000000"})
    EXPECT_FALSE(nanoseconds_of(text)) << text;
  EXPECT_TRUE(nanoseconds_of("2300000000000000"));
}

TEST(DecimalNumbers, ReadsWholeNumbersOnly) {
  EXPECT_EQ(integer_of("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(integer_of("-1"), -1);
  for (const auto* text : {"", "1.5", "9223372036854775808", "0x0", " 1"})
    EXPECT_FALSE(integer_of(text)) << text;
}

}  // namespace
}  // namespace quintet::json_stream
