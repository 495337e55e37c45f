#include "sim/base/quantity_text.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace quintet {
namespace {

using namespace literals;

TEST(QuantityText, FiguresAsPeopleWriteThem) {
  EXPECT_EQ(*parse_bandwidth("450 GB/s"), 450_GBps);
  EXPECT_EQ(*parse_seconds("1.2 us"), 1.2_us);
  EXPECT_EQ(*parse_bytes("80 GiB"), 80_GiB);
  EXPECT_EQ(*parse_flop_rate("989.4 TFLOP/s"), 989.4_TFLOPs);
  EXPECT_EQ(*parse_watts("10.2 kW"), Watts{10200});
  EXPECT_EQ(*parse_price("2.5 $/h"), DollarsPerHour{2.5});
  EXPECT_EQ(*parse_data_type("bf16"), DataType::bf16);
}

TEST(QuantityText, SmallBsAreBits) {
  // 400e9 bit/s / 8 = 50e9 B/s
  EXPECT_EQ(*parse_bandwidth("400 Gb/s"), 50_GBps);
  EXPECT_EQ(*parse_bandwidth("400 Gbps"), 50_GBps);
}

TEST(QuantityText, TheSpaceMayBeMissingAndSignsAreForTheReaderToJudge) {
  EXPECT_EQ(*parse_bytes("25MiB"), 25_MiB);
  EXPECT_EQ(*parse_bytes("-1 KB"), Bytes{-1000});
}

TEST(QuantityText, WhatIsNotAFigureWithAUnitIsRefused) {
  for (const char* text :
       {"", " ", "450", "GB/s", "450 GB", "450 gb/s", "450 GB/s ", "1e999 GB/s", "1e308 TB/s",
        "nan GB/s", "inf GB/s", "0x10 GB/s", "4 5 GB/s", "--1 B/s", "1,5 GB/s"})
    EXPECT_FALSE(parse_bandwidth(text).has_value()) << text;
}

TEST(QuantityText, ARefusalSaysWhatWouldDo) {
  EXPECT_EQ(parse_price("2.5 EUR/h").error(),
            (Error{"",
                   "expected a price such as \"2.5 $/h\" (units: $/h, USD/h), "
                   "found \"2.5 EUR/h\""}));
  EXPECT_EQ(
      parse_data_type("bf61").error(),
      (Error{"", "expected one of fp32, tf32, fp16, bf16, fp8, int32, int8, found \"bf61\""}));
}

TEST(QuantityText, RoundFiguresArePrintedAsPeopleWriteThem) {
  EXPECT_EQ(text(450_GBps), "450 GB/s");
  EXPECT_EQ(text(400_Gbps), "50 GB/s");
  EXPECT_EQ(text(1.2_us), "1.2 us");
  EXPECT_EQ(text(390_ms), "390 ms");
  EXPECT_EQ(text(Seconds{90}), "90 s");
  EXPECT_EQ(text(989.4_TFLOPs), "989.4 TFLOP/s");
  EXPECT_EQ(text(Watts{700}), "700 W");
  EXPECT_EQ(text(Watts{10200}), "10.2 kW");
  EXPECT_EQ(text(DollarsPerHour{2.5}), "2.5 $/h");
}

TEST(QuantityText, BinaryUnitsWhereTheyAreWhole) {
  EXPECT_EQ(text(80_GiB), "80 GiB");
  EXPECT_EQ(text(25_MiB), "25 MiB");
  EXPECT_EQ(text(80_GB), "80 GB");
  EXPECT_EQ(text(1.5_GB), "1.5 GB");
  EXPECT_EQ(text(Bytes{0}), "0 B");
}

// Any double at all comes back, so that a file written and read again is equal.
TEST(QuantityText, EveryValueIsReadBackToTheSameValue) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-20.0, 30.0);
  for (int i = 0; i < 20'000; ++i) {
    const double value = std::pow(10.0, exponent(random));
    ASSERT_EQ(*parse_bytes(text(Bytes{value})), Bytes{value});
    ASSERT_EQ(*parse_seconds(text(Seconds{-value})), Seconds{-value});
    ASSERT_EQ(*parse_bandwidth(text(Bandwidth{value})), Bandwidth{value});
    ASSERT_EQ(*parse_flop_rate(text(FlopRate{value})), FlopRate{value});
    ASSERT_EQ(*parse_watts(text(Watts{value})), Watts{value});
    ASSERT_EQ(*parse_price(text(DollarsPerHour{value})), DollarsPerHour{value});
  }
  for (const double value :
       {std::numeric_limits<double>::max(), std::numeric_limits<double>::min(), 1e-300})
    EXPECT_EQ(*parse_seconds(text(Seconds{value})), Seconds{value});
}

TEST(QuantityText, EveryDataTypeIsReadBack) {
  for (const DataType type : {DataType::fp32, DataType::tf32, DataType::fp16, DataType::bf16,
                              DataType::fp8, DataType::int32, DataType::int8})
    EXPECT_EQ(*parse_data_type(name_of(type)), type);
}

}  // namespace
}  // namespace quintet
