// Scales that are powers of two, codes made whole again, and the largest values of past steps.
#include "tests/kernels/support.h"

namespace quintet::kernels {
namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

class Float8Scaling : public Operators {
 protected:
  void SetUp() override {
    Operators::SetUp();
    if (kernels_ == nullptr) return;
    float8_ = kernels_->on_float8();
    if (float8_ == nullptr) GTEST_SKIP() << GetParam().name << " has none of these operators";
  }

  float scale_of(Float8Form form, float maximum) {
    const float value = 0;
    Float8 code;
    float scale = 0;
    float8_->quantise({form, ScaleBlocks::tensor, QuantiseAs::it_is, 1, 1, &value, &maximum, &code,
                       &scale, ScaleForm::power_of_two},
                      stream_);
    return scale;
  }

  Float8Kernels* float8_ = nullptr;
};
QUINTET_ON_EVERY_IMPLEMENTATION(Float8Scaling);

// 448 is 1.75 * 2^8: up to 448 a scale of 1 does, from there on 2; and 57344 is 1.75 * 2^15.
TEST_P(Float8Scaling, APowerOfTwoIsTheSmallestUnderWhichTheMaximumFits) {
  EXPECT_EQ(scale_of(Float8Form::e4m3, 448.0F), 1.0F);
  EXPECT_EQ(scale_of(Float8Form::e4m3, std::nextafter(448.0F, infinity)), 2.0F);
  EXPECT_EQ(scale_of(Float8Form::e4m3, 224.0F), 0.5F);
  EXPECT_EQ(scale_of(Float8Form::e4m3, 1.0F), 1.0F / 256);  // 256 of 448 codes' range
  EXPECT_EQ(scale_of(Float8Form::e5m2, 57344.0F), 1.0F);
  EXPECT_EQ(scale_of(Float8Form::e5m2, 57345.0F), 2.0F);
  EXPECT_EQ(scale_of(Float8Form::e5m2, 1.0F), std::ldexp(1.0F, -15));
  EXPECT_EQ(scale_of(Float8Form::e4m3, 0.0F), std::ldexp(1.0F, -108));  // of 2^-100
  EXPECT_EQ(scale_of(Float8Form::e4m3, infinity), infinity);
  EXPECT_TRUE(std::isnan(scale_of(Float8Form::e4m3, not_a_number)));
}

// Numbers of 1 to 2 in size keep 4 bits (e4m3): off by 2^-4 of themselves at most, half a step of
// 2^-3; and what came out of codes goes into codes and out again as it is, of every kind of block.
TEST_P(Float8Scaling, WhatIsMadeWholeAgainIsWhatTheCodesSay) {
  const Index rows = 130, columns = 136;
  Floats values = random_floats(rows * columns, 21);
  for (float& value : values) value = value < 0 ? value - 1 : value + 1;
  for (const ScaleBlocks blocks :
       {ScaleBlocks::tensor, ScaleBlocks::rows_of_128, ScaleBlocks::squares_of_128}) {
    std::vector<Float8> codes(size_of(rows * columns));
    Floats scales = poisoned(scale_count(blocks, rows, columns));
    float maximum = 0;
    const auto round_trip = [&](Floats& from, Tensor to) {
      float8_->absolute_maximum({rows * columns, from.data(), &maximum}, stream_);
      float8_->quantise({Float8Form::e4m3, blocks, QuantiseAs::it_is, rows, columns, from.data(),
                         &maximum, codes.data(), scales.data(), ScaleForm::power_of_two},
                        stream_);
      float8_->dequantise(
          {rows, columns, {Float8Form::e4m3, blocks, codes.data(), scales.data()}, to}, stream_);
    };
    Floats once = poisoned(rows * columns), twice = poisoned(rows * columns);
    round_trip(values, once.data());
    for (std::size_t at = 0; at < values.size(); ++at)
      ASSERT_LE(std::fabs(once[at] - values[at]), std::fabs(values[at]) / 16) << at;
    round_trip(once, twice.data());
    EXPECT_EQ(once, twice);
    auto half = poisoned_bf16(rows * columns);
    round_trip(once, half.data());
    EXPECT_EQ(widened(*kernels_, half), once);
  }
}

TEST_P(Float8Scaling, WhatIsObservedAddsUpAndPastMaximaAreTakenWhereThereAreAny) {
  const Floats small{0.5F, -2.0F}, large{3.0F, -7.0F};
  float result = 0, observed = 0, told = 0;
  float8_->absolute_maximum({2, large.data(), &result, &observed, &told}, stream_);
  EXPECT_EQ(result, 7.0F);  // of no step before: this one's
  float8_->absolute_maximum({2, small.data(), &result, &observed, &told}, stream_);
  EXPECT_EQ(result, 2.0F);
  EXPECT_EQ(observed, 7.0F);
  told = 5.0F;
  float8_->absolute_maximum({2, small.data(), &result, &observed, &told}, stream_);
  EXPECT_EQ(result, 5.0F);
  EXPECT_EQ(observed, 7.0F);
  const Floats spoilt{1.0F, not_a_number};
  float8_->absolute_maximum({2, spoilt.data(), &result, &observed, &told}, stream_);
  EXPECT_TRUE(std::isnan(observed));
}

// Two tensors, three steps of history, a margin of 2 (a factor of 4), by hand:
//   step       1          2          3          4          5
//   observed   3, 1       8, NaN     2, 5       1, inf     1, 4
//   history    3 0 0      3 8 0      3 8 2      1 8 2      1 1 2
//              1 0 0      1 0 0      1 0 5      0 0 5      0 4 5
//   maxima     12, 4      32, 4      32, 20     32, 20     8, 20
TEST_P(Float8Scaling, HistoryIsRolledAsWorkedByHand) {
  const Floats seen[] = {{3, 1}, {8, not_a_number}, {2, 5}, {1, infinity}, {1, 4}};
  const Floats expected[] = {{12, 4}, {32, 4}, {32, 20}, {32, 20}, {8, 20}};
  Floats history(6, 0.0F), maxima(2, 0.0F);
  for (Index step = 0; step < 5; ++step) {
    Floats observed = seen[step];
    float8_->roll_maxima({2, 3, step % 3, 4.0F, observed.data(), history.data(), maxima.data()},
                         stream_);
    EXPECT_EQ(maxima, expected[step]) << "step " << step + 1;
    EXPECT_EQ(observed, Floats(2, 0.0F));
  }
  EXPECT_EQ(history, (Floats{1, 1, 2, 0, 4, 5}));
}

}  // namespace
}  // namespace quintet::kernels
