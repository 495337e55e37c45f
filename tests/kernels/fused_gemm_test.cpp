// Products with the operator that follows, against a loop in double; both MLP orders of weights.
#include "tests/kernels/support.h"

namespace quintet::kernels {
namespace {

class FusedGemms : public Operators {
 protected:
  // 24 x 16 from depth 40.
  static constexpr Index rows = 24, columns = 16, depth = 40;
  Floats a_ = random_floats(rows * depth, 1), b_ = random_floats(depth * columns, 2, 0.2F);
  Floats bias_ = random_floats(columns, 3);

  Gemm gemm(ConstTensor a, ConstTensor b, Tensor c) const {
    return {GemmForm::a_b, rows, columns, depth, a, b, c};
  }
};
QUINTET_ON_EVERY_IMPLEMENTATION(FusedGemms);

double gelu(double x) {
  return 0.5 * x * (1.0 + std::tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x)));
}
double normal_gelu(double x) {
  return 0.5 * x * std::erfc(-x * 0.70710678118654752440);
}
double of_form(GeluForm form, double x) {
  return form == GeluForm::hyperbolic ? gelu(x) : normal_gelu(x);
}
double slope_of_form(GeluForm form, double x) {
  constexpr double step = 1e-5;
  return (of_form(form, x + step) - of_form(form, x - step)) / (2.0 * step);
}

Doubles product_of(Index rows, Index columns, Index depth, const Floats& a, const Floats& b) {
  Doubles c(size_of(rows * columns), 0.0);
  for (Index r = 0; r < rows; ++r)
    for (Index k = 0; k < depth; ++k)
      for (Index i = 0; i < columns; ++i)
        c[size_of(r * columns + i)] += static_cast<double>(a[size_of(r * depth + k)]) *
                                       static_cast<double>(b[size_of(k * columns + i)]);
  return c;
}

TEST_P(FusedGemms, GeluFollowsTheBiasAndKeepsWhatItWasGiven) {
  Doubles before = product_of(rows, columns, depth, a_, b_);
  for (std::size_t i = 0; i < before.size(); ++i)
    before[i] += static_cast<double>(bias_[i % bias_.size()]);
  for (const GeluForm form : {GeluForm::hyperbolic, GeluForm::error_function}) {
    Floats kept = poisoned(rows * columns), c = kept;
    GemmGelu fused{gemm(a_.data(), b_.data(), c.data()), form, kept.data()};
    fused.product.bias = bias_.data();
    kernels_->gemm_gelu(fused, stream_);
    Doubles expected = before;
    for (double& x : expected) x = of_form(form, x);
    EXPECT_LT(relative_error(kept, before), fp32_tolerance);
    EXPECT_LT(relative_error(c, expected), fp32_tolerance);
  }
}

TEST_P(FusedGemms, GeluWithoutBias) {
  Floats kept = poisoned(rows * columns), c = kept;
  kernels_->gemm_gelu({gemm(a_.data(), b_.data(), c.data()), GeluForm::hyperbolic, kept.data()},
                      stream_);
  Doubles expected = product_of(rows, columns, depth, a_, b_);
  for (double& x : expected) x = gelu(x);
  EXPECT_LT(relative_error(c, expected), fp32_tolerance);
}

TEST_P(FusedGemms, TheGradientGoesThroughTheGelu) {
  const Floats before = random_floats(rows * columns, 4);
  for (const GeluForm form : {GeluForm::hyperbolic, GeluForm::error_function}) {
    Floats c = poisoned(rows * columns);
    kernels_->gemm_gelu_backward({gemm(a_.data(), b_.data(), c.data()), form, before.data()},
                                 stream_);
    Doubles expected = product_of(rows, columns, depth, a_, b_);
    for (std::size_t i = 0; i < expected.size(); ++i)
      expected[i] *= slope_of_form(form, static_cast<double>(before[i]));
    EXPECT_LT(relative_error(c, expected), gradient_tolerance);
  }
}

TEST_P(FusedGemms, Bf16IsCloseToFp32) {
  const auto a = narrow(*kernels_, a_), b = narrow(*kernels_, b_), bias = narrow(*kernels_, bias_);
  auto kept = poisoned_bf16(rows * columns), c = kept, gradient = kept;
  GemmGelu fused{gemm(a.data(), b.data(), c.data()), GeluForm::hyperbolic, kept.data()};
  fused.product.bias = bias.data();
  kernels_->gemm_gelu(fused, stream_);
  Doubles before = product_of(rows, columns, depth, widened(*kernels_, a), widened(*kernels_, b));
  Doubles slopes = before, after = before;
  const Floats wide_bias = widened(*kernels_, bias);
  for (std::size_t i = 0; i < before.size(); ++i) {
    before[i] += static_cast<double>(wide_bias[i % wide_bias.size()]);
    after[i] = gelu(before[i]);
    slopes[i] *= slope_of_form(GeluForm::hyperbolic, before[i]);
  }
  EXPECT_LT(relative_error(widened(*kernels_, kept), before), bf16_tolerance);
  EXPECT_LT(relative_error(widened(*kernels_, c), after), bf16_tolerance);
  kernels_->gemm_gelu_backward(
      {gemm(a.data(), b.data(), gradient.data()), GeluForm::hyperbolic, kept.data()}, stream_);
  EXPECT_LT(relative_error(widened(*kernels_, gradient), slopes), bf16_tolerance);
}

// dw = a^T b; the bias gradient sums whichever of the two is the output's gradient over depth.
TEST_P(FusedGemms, TheBiasGradientComesWithTheWeightGradient) {
  const Floats a = random_floats(depth * rows, 5), b = random_floats(depth * columns, 6);
  for (const OutputGradient of : {OutputGradient::a, OutputGradient::b}) {
    const Floats& summed = of == OutputGradient::a ? a : b;
    const Index length = of == OutputGradient::a ? rows : columns;
    Floats c = poisoned(rows * columns), bias = poisoned(length);
    GemmBiasGradient fused{
        {GemmForm::a_transposed_b, rows, columns, depth, a.data(), b.data(), c.data()},
        of,
        bias.data()};
    kernels_->gemm_bias_gradient(fused, stream_);
    fused.product.write = GradientWrite::accumulate;
    kernels_->gemm_bias_gradient(fused, stream_);
    Doubles sums(size_of(length)), weights(size_of(rows * columns));
    for (Index k = 0; k < depth; ++k) {
      for (Index i = 0; i < length; ++i)
        sums[size_of(i)] += 2.0 * static_cast<double>(summed[size_of(k * length + i)]);
      for (Index r = 0; r < rows; ++r)
        for (Index i = 0; i < columns; ++i)
          weights[size_of(r * columns + i)] += 2.0 * static_cast<double>(a[size_of(k * rows + r)]) *
                                               static_cast<double>(b[size_of(k * columns + i)]);
    }
    EXPECT_LT(relative_error(bias, sums), fp32_tolerance);
    EXPECT_LT(relative_error(c, weights), fp32_tolerance);
  }
}

}  // namespace
}  // namespace quintet::kernels
