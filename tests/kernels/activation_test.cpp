#include "tests/kernels/support.h"

namespace quintet::kernels {
namespace {

class Activations : public Operators {};
QUINTET_ON_EVERY_IMPLEMENTATION(Activations);

double naive_gelu(double x, GeluForm form) {
  const double pi = std::acos(-1.0);
  switch (form) {
    case GeluForm::error_function:
      return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
    case GeluForm::hyperbolic:
      return 0.5 * x * (1.0 + std::tanh(std::sqrt(2.0 / pi) * (x + 0.044715 * x * x * x)));
  }
  return 0.0;
}

double naive_swiglu(double gate, double up) {
  return gate / (1.0 + std::exp(-gate)) * up;
}

// From deep in the lower tail to where the function is the identity; no multiple of 16 of them.
Floats wide_range() {
  Floats x;
  for (int i = -600; i <= 600; ++i) x.push_back(static_cast<float>(i) * 0.01F);
  return x;
}

TEST_P(Activations, GeluIsItsFormula) {
  const Floats x = wide_range();
  const auto count = static_cast<Index>(x.size());
  for (const GeluForm form : {GeluForm::error_function, GeluForm::hyperbolic}) {
    Floats y = poisoned(count);
    kernels_->gelu_forward({form, count, x.data(), y.data()}, stream_);
    Doubles expected;
    for (const float value : x) expected.push_back(naive_gelu(static_cast<double>(value), form));
    EXPECT_LT(relative_error(y, expected), fp32_tolerance);
  }
}

// erfc keeps its digits where 1 + erf would have lost them: Phi(-5) = 2.8665e-7.
TEST_P(Activations, GeluKeepsItsDigitsInTheTail) {
  const Floats x{-5.0F};
  Floats y = poisoned(1);
  kernels_->gelu_forward({GeluForm::error_function, 1, x.data(), y.data()}, stream_);
  EXPECT_NEAR(static_cast<double>(y[0]) / naive_gelu(-5.0, GeluForm::error_function), 1.0, 1e-5);
}

TEST_P(Activations, GeluOfHugeNumbersIsFinite) {
  const Floats x{-1e4F, 1e4F, -88.0F, 88.0F};
  for (const GeluForm form : {GeluForm::error_function, GeluForm::hyperbolic}) {
    Floats y = poisoned(4), slope = poisoned(4);
    const Floats ones(4, 1.0F);
    kernels_->gelu_forward({form, 4, x.data(), y.data()}, stream_);
    kernels_->gelu_backward({form, 4, x.data(), ones.data(), slope.data()}, stream_);
    EXPECT_EQ(y, (Floats{0.0F, 1e4F, 0.0F, 88.0F}));
    EXPECT_EQ(slope, (Floats{0.0F, 1.0F, 0.0F, 1.0F}));
  }
}

TEST_P(Activations, GeluGradientIsTheDifference) {
  const Floats x = wide_range();
  const auto count = static_cast<Index>(x.size());
  const Floats upstream = random_floats(count, 1);
  for (const GeluForm form : {GeluForm::error_function, GeluForm::hyperbolic}) {
    Floats gradient = poisoned(count);
    kernels_->gelu_backward({form, count, x.data(), upstream.data(), gradient.data()}, stream_);
    Doubles expected;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto at = static_cast<double>(x[i]);
      expected.push_back(static_cast<double>(upstream[i]) *
                         (naive_gelu(at + 1e-4, form) - naive_gelu(at - 1e-4, form)) / 2e-4);
    }
    EXPECT_LT(relative_error(gradient, expected), gradient_tolerance);
  }
}

// Gate and up are the left and right half of one matrix, as a fused projection leaves them.
TEST_P(Activations, SwigluAndItsGradientsOfAFusedMatrix) {
  const Index rows = 3, width = 37;
  const Floats both = random_floats(rows * 2 * width, 1, 3.0F);
  const Floats upstream = random_floats(rows * width, 2);
  Floats y = poisoned(rows * width), gradient = poisoned(rows * 2 * width);
  kernels_->swiglu_forward({rows, width, 2 * width, both.data(), both.data() + width, y.data()},
                           stream_);
  kernels_->swiglu_backward({rows, width, 2 * width, both.data(), both.data() + width,
                             upstream.data(), gradient.data(), gradient.data() + width},
                            stream_);
  const auto naive = [&](const Doubles& v) {
    Doubles made;
    for (Index i = 0; i < rows * width; ++i) {
      const std::size_t gate = size_of(i / width * 2 * width + i % width);
      made.push_back(naive_swiglu(v[gate], v[gate + size_of(width)]));
    }
    return made;
  };
  EXPECT_LT(relative_error(y, naive(wide(both))), fp32_tolerance);
  const auto expected =
      numeric_gradient([&](const Doubles& v) { return dot(naive(v), wide(upstream)); }, wide(both));
  EXPECT_LT(relative_error(gradient, expected), gradient_tolerance);
}

TEST_P(Activations, AnElementDoesNotDependOnItsNeighbours) {
  const Floats x = wide_range();
  Floats whole = poisoned(static_cast<Index>(x.size())), single = whole;
  kernels_->gelu_forward(
      {GeluForm::hyperbolic, static_cast<Index>(x.size()), x.data(), whole.data()}, stream_);
  for (std::size_t i = 0; i < x.size(); ++i)
    kernels_->gelu_forward({GeluForm::hyperbolic, 1, &x[i], &single[i]}, stream_);
  EXPECT_EQ(bits_of(whole), bits_of(single));
}

TEST_P(Activations, Bf16IsCloseToFp32) {
  const Floats x = wide_range();
  const auto count = static_cast<Index>(x.size());
  Floats y = poisoned(count);
  auto y16 = poisoned_bf16(count);
  const auto x16 = narrow(*kernels_, x);
  kernels_->gelu_forward({GeluForm::error_function, count, x.data(), y.data()}, stream_);
  kernels_->gelu_forward({GeluForm::error_function, count, x16.data(), y16.data()}, stream_);
  EXPECT_LT(relative_error(widened(*kernels_, y16), y), bf16_tolerance);
}

}  // namespace
}  // namespace quintet::kernels
