#include "kernels/rotary_scaling.h"
#include "tests/kernels/support.h"

namespace quintet::kernels {
namespace {

class Rotations : public Operators {};
QUINTET_ON_EVERY_IMPLEMENTATION(Rotations);

constexpr Index rows = 3;
constexpr Index heads = 2;
constexpr Index head_size = 22;
constexpr Index half = head_size / 2;
constexpr Index positions_known = 50;
const std::vector<std::int32_t> positions{0, 7, 49};

struct Tables {
  Doubles frequencies = Doubles(size_of(half));
  Floats cosines = poisoned(positions_known * half);
  Floats sines = poisoned(positions_known * half);

  Tables() {
    rotary_frequencies(10000.0, frequencies);
    rotary_tables(frequencies, cosines, sines);
  }
};

Rotary turn(RotaryDirection direction, const Tables& tables, ConstTensor input, Tensor output) {
  return {direction,           rows,  heads, head_size, positions.data(), tables.cosines.data(),
          tables.sines.data(), input, output};
}

// Element i of a head and element i + half, as a complex number, times exp(i position
// theta^(-2i/d)).
Doubles naive(const Doubles& x) {
  Doubles y(x.size());
  for (Index r = 0; r < rows; ++r)
    for (Index h = 0; h < heads; ++h)
      for (Index i = 0; i < half; ++i) {
        const double angle =
            positions[size_of(r)] * std::pow(10000.0, -2.0 * static_cast<double>(i) / head_size);
        const std::size_t at = size_of((r * heads + h) * head_size + i);
        const std::size_t other = at + size_of(half);
        y[at] = x[at] * std::cos(angle) - x[other] * std::sin(angle);
        y[other] = x[other] * std::cos(angle) + x[at] * std::sin(angle);
      }
  return y;
}

TEST_P(Rotations, TurnsEachPairByItsAngle) {
  const Tables tables;
  const Floats x = random_floats(rows * heads * head_size, 1);
  Floats y = poisoned(rows * heads * head_size);
  kernels_->rotary(turn(RotaryDirection::forward, tables, x.data(), y.data()), stream_);
  EXPECT_LT(relative_error(y, naive(wide(x))), fp32_tolerance);
}

TEST_P(Rotations, BackwardIsTheGradient) {
  const Tables tables;
  const Floats x = random_floats(rows * heads * head_size, 1);
  const Floats upstream = random_floats(rows * heads * head_size, 2);
  Floats gradient = poisoned(rows * heads * head_size);
  kernels_->rotary(turn(RotaryDirection::backward, tables, upstream.data(), gradient.data()),
                   stream_);
  const auto expected =
      numeric_gradient([&](const Doubles& v) { return dot(naive(v), wide(upstream)); }, wide(x));
  EXPECT_LT(relative_error(gradient, expected), gradient_tolerance);
}

TEST_P(Rotations, WorksInPlaceInsideAWiderMatrix) {
  const Tables tables;
  const Index stride = 3 * heads * head_size;
  const Floats before = random_floats(rows * stride, 1);
  Floats x = before;
  Rotary rotary = turn(RotaryDirection::forward, tables, x.data(), x.data());
  rotary.input_stride = rotary.output_stride = stride;
  kernels_->rotary(rotary, stream_);
  const Index width = heads * head_size;
  for (Index r = 0; r < rows; ++r) {
    EXPECT_EQ(part_of(x, r * stride + width, 2 * width),
              part_of(before, r * stride + width, 2 * width));
    EXPECT_NE(part_of(x, stride, width), part_of(before, stride, width));
  }
}

TEST_P(Rotations, Bf16IsCloseToFp32) {
  const Tables tables;
  const Floats x = random_floats(rows * heads * head_size, 1);
  const auto x16 = narrow(*kernels_, x);
  auto y = poisoned_bf16(rows * heads * head_size);
  kernels_->rotary(turn(RotaryDirection::forward, tables, x16.data(), y.data()), stream_);
  EXPECT_LT(relative_error(widened(*kernels_, y), naive(wide(x))), bf16_tolerance);
}

// Llama 3.1: theta 500,000, heads of 128, factor 8, 8192 positions. Of frequency 1 there are
// 8192 / 2 pi = 1304 waves, more than 4: kept. The last one, 500000^(-126/128) = 2.46e-6, has
// 0.0032, less than 1: an eighth. Number 30, 500000^(-60/128) = 2.1311e-3, has w = 2.7785: the
// share (w - 1) / 3 = 0.59284 of it is kept, and of the rest an eighth.
TEST(RotaryScalings, LengthenLongWavesOnly) {
  Doubles plain(64);
  rotary_frequencies(500000.0, plain);
  Doubles scaled = plain;
  scale_frequencies({RotaryScalingKind::llama3, 8, 1, 4, 8192}, scaled);
  EXPECT_EQ(scaled[0], plain[0]);
  EXPECT_DOUBLE_EQ(scaled[63], plain[63] / 8);
  EXPECT_NEAR(scaled[30] / plain[30], 0.59284 + (1 - 0.59284) / 8, 1e-4);
  Doubles linear = plain;
  scale_frequencies({RotaryScalingKind::linear, 4}, linear);
  for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_DOUBLE_EQ(linear[i], plain[i] / 4);
}

}  // namespace
}  // namespace quintet::kernels
