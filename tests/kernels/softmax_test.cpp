// Softmax over stored scores against its formula in double, and its gradient against differences.
#include <algorithm>

#include "tests/kernels/support.h"

namespace quintet::kernels {
namespace {

class Softmax : public Operators {};
QUINTET_ON_EVERY_IMPLEMENTATION(Softmax);

struct Case {
  AttentionMask mask;
  Index window, rows, columns;
};

// Around one vector of 16; windows that begin inside one; fewer queries than keys, and more: the
// first queries then see no key.
const std::vector<Case>& cases() {
  static const std::vector<Case> list{
      {AttentionMask::none, 0, 3, 16},    {AttentionMask::none, 0, 5, 37},
      {AttentionMask::causal, 0, 37, 37}, {AttentionMask::causal, 5, 40, 40},
      {AttentionMask::causal, 0, 4, 21},  {AttentionMask::causal, 0, 21, 4},
  };
  return list;
}

constexpr double scale = 0.4;

bool seen(const Case& c, Index row, Index column) {
  if (c.mask == AttentionMask::none) return true;
  const Index end = row + 1 + c.columns - c.rows;
  return column < end && (c.window == 0 || column >= end - c.window);
}

Doubles probabilities_of(const Case& c, const Doubles& scores) {
  Doubles made(scores.size(), 0.0);
  for (Index row = 0; row < c.rows; ++row) {
    double sum = 0;
    for (Index column = 0; column < c.columns; ++column)
      if (seen(c, row, column)) sum += std::exp(scale * scores[size_of(row * c.columns + column)]);
    for (Index column = 0; column < c.columns; ++column)
      if (seen(c, row, column)) {
        const std::size_t at = size_of(row * c.columns + column);
        made[at] = std::exp(scale * scores[at]) / sum;
      }
  }
  return made;
}

SoftmaxForward forward_of(const Case& c, Tensor scores) {
  return {1, c.rows, c.columns, c.mask, c.window, static_cast<float>(scale), scores};
}

TEST_P(Softmax, IsTheFormulas) {
  for (const Case& c : cases()) {
    Floats scores = random_floats(c.rows * c.columns, 3, 2.0F);
    const Doubles expected = probabilities_of(c, wide(scores));
    kernels_->softmax_forward(forward_of(c, scores.data()), stream_);
    EXPECT_LT(relative_error(scores, expected), fp32_tolerance) << c.rows << " x " << c.columns;
    for (Index i = 0; i < c.rows * c.columns; ++i) {
      const bool hidden = !seen(c, i / c.columns, i % c.columns);
      EXPECT_TRUE(!hidden || scores[size_of(i)] == 0.0F);
    }
  }
}

// The function is the sum of w p for some w.
TEST_P(Softmax, GradientIsThatOfItsForward) {
  for (const Case& c : cases()) {
    const Floats scores = random_floats(c.rows * c.columns, 3);
    const Floats upstream = random_floats(c.rows * c.columns, 4);
    Floats probabilities = scores, gradient = upstream;
    kernels_->softmax_forward(forward_of(c, probabilities.data()), stream_);
    kernels_->softmax_backward(
        {c.rows, c.columns, static_cast<float>(scale), probabilities.data(), gradient.data()},
        stream_);
    const Doubles expected = numeric_gradient(
        [&](const Doubles& x) { return dot(probabilities_of(c, x), wide(upstream)); },
        wide(scores));
    EXPECT_LT(relative_error(gradient, expected), gradient_tolerance) << c.rows << "x" << c.columns;
  }
}

TEST_P(Softmax, RowsAloneGiveTheBitsOfRowsTogether) {
  const Case whole{AttentionMask::none, 0, 5, 37};
  const Case alone{AttentionMask::none, 0, 1, 37};
  const Floats scores = random_floats(whole.rows * whole.columns, 3);
  Floats together = scores, apart = scores;
  kernels_->softmax_forward(forward_of(whole, together.data()), stream_);
  for (Index row = 0; row < whole.rows; ++row)
    kernels_->softmax_forward(forward_of(alone, apart.data() + row * alone.columns), stream_);
  EXPECT_EQ(bits_of(apart), bits_of(together));
}

// More columns than a GPU's block holds of fp32.
TEST_P(Softmax, LongRowsAreWorkedOnInSlices) {
  const Case c{AttentionMask::causal, 9000, 2, 17'000};
  const Floats scores = random_floats(c.rows * c.columns, 3, 2.0F);
  const Floats upstream = random_floats(c.rows * c.columns, 4);
  Floats probabilities = scores, gradient = upstream;
  kernels_->softmax_forward(forward_of(c, probabilities.data()), stream_);
  const Doubles p = probabilities_of(c, wide(scores));
  EXPECT_LT(relative_error(probabilities, p), fp32_tolerance);
  kernels_->softmax_backward(
      {c.rows, c.columns, static_cast<float>(scale), probabilities.data(), gradient.data()},
      stream_);
  Doubles expected(p.size());
  for (Index row = 0; row < c.rows; ++row) {
    const std::size_t first = size_of(row * c.columns), end = first + size_of(c.columns);
    double mean = 0.0;
    for (std::size_t i = first; i < end; ++i) mean += p[i] * static_cast<double>(upstream[i]);
    for (std::size_t i = first; i < end; ++i)
      expected[i] = scale * p[i] * (static_cast<double>(upstream[i]) - mean);
  }
  EXPECT_LT(relative_error(gradient, expected), gradient_tolerance);
}

// The heads of a sequence: each has the mask of its own rows.
TEST_P(Softmax, MatricesTogetherAreEachAlone) {
  const Case c{AttentionMask::causal, 5, 12, 12};
  const Index size = c.rows * c.columns;
  Floats together = random_floats(3 * size, 3), apart = together;
  SoftmaxForward three = forward_of(c, together.data());
  three.matrices = 3;
  kernels_->softmax_forward(three, stream_);
  for (Index matrix = 0; matrix < 3; ++matrix)
    kernels_->softmax_forward(forward_of(c, apart.data() + matrix * size), stream_);
  EXPECT_EQ(bits_of(apart), bits_of(together));
}

TEST_P(Softmax, Bf16IsCloseToFp32) {
  for (const Case& c : cases()) {
    std::vector<Bfloat16> scores = narrow(*kernels_, random_floats(c.rows * c.columns, 3, 2.0F));
    const Doubles expected = probabilities_of(c, wide(widened(*kernels_, scores)));
    kernels_->softmax_forward(forward_of(c, scores.data()), stream_);
    EXPECT_LT(relative_error(widened(*kernels_, scores), expected), bf16_tolerance);
  }
}

}  // namespace
}  // namespace quintet::kernels
