// Norms of rows of every length that a GPU works on in another way: few and many packs of 16 bytes,
// single elements, rows that its registers do not hold; against the formulas in double.
#include "tests/kernels/support.h"

namespace quintet::kernels {
namespace {

constexpr Index rows = 2;
constexpr float epsilon = 1e-5F;
constexpr Index widths[] = {96, 1400, 4000, 9000, 20480, 333, 5001};

enum class Centre { none, mean };

struct World {
  Index width;
  Floats x = random_floats(rows * width, 1, 2.0F), residual = random_floats(rows * width, 2);
  Floats weight = random_floats(width, 3), bias = random_floats(width, 4);
  Floats upstream = random_floats(rows * width, 5), past = random_floats(rows * width, 6);
  Floats sum = poisoned(rows * width), output = sum, gradient = sum;
  Floats mean = poisoned(rows), inverse = poisoned(rows);

  Doubles added() const {
    Doubles made = wide(x);
    for (std::size_t i = 0; i < made.size(); ++i) made[i] += static_cast<double>(residual[i]);
    return made;
  }
};

struct Expected {
  Doubles output, gradient;
};

// n = (x - mean) / deviation; y = n w + b; dx = (g - mean(g) - n mean(g n)) / deviation + past with
// g = dy w. Without the mean: RMS norm.
Expected expected(const World& w, const Doubles& x, Centre centre) {
  const auto columns = size_of(w.width);
  const auto count = static_cast<double>(w.width);
  Expected made;
  for (std::size_t row = 0; row < size_of(rows); ++row) {
    const double* const in = x.data() + row * columns;
    double mean = 0.0, squares = 0.0, mean_g = 0.0, mean_gn = 0.0;
    if (centre == Centre::mean)
      for (std::size_t c = 0; c < columns; ++c) mean += in[c] / count;
    for (std::size_t c = 0; c < columns; ++c) squares += (in[c] - mean) * (in[c] - mean) / count;
    const double inverse = 1.0 / std::sqrt(squares + static_cast<double>(epsilon));
    const auto n = [&](std::size_t c) { return (in[c] - mean) * inverse; };
    const auto g = [&](std::size_t c) {
      return static_cast<double>(w.upstream[row * columns + c]) * static_cast<double>(w.weight[c]);
    };
    for (std::size_t c = 0; c < columns; ++c) {
      if (centre == Centre::mean) mean_g += g(c) / count;
      mean_gn += g(c) * n(c) / count;
    }
    for (std::size_t c = 0; c < columns; ++c) {
      const double bias = centre == Centre::mean ? static_cast<double>(w.bias[c]) : 0.0;
      made.output.push_back(n(c) * static_cast<double>(w.weight[c]) + bias);
      made.gradient.push_back((g(c) - mean_g - n(c) * mean_gn) * inverse +
                              static_cast<double>(w.past[row * columns + c]));
    }
  }
  return made;
}

class WideNorms : public Operators {};
QUINTET_ON_EVERY_IMPLEMENTATION(WideNorms);

// What the arguments of both norms have.
template <class Forward>
Forward forward_of(World& w) {
  Forward forward;
  forward.rows = rows;
  forward.width = w.width;
  forward.epsilon = epsilon;
  forward.input = w.x.data();
  forward.residual = w.residual.data();
  forward.sum = w.sum.data();
  forward.weight = w.weight.data();
  forward.output = w.output.data();
  return forward;
}

template <class Backward>
Backward backward_of(World& w) {
  Backward backward;
  backward.rows = rows;
  backward.width = w.width;
  backward.input = w.sum.data();
  backward.weight = w.weight.data();
  backward.output_gradient = w.upstream.data();
  backward.residual_gradient = w.past.data();
  backward.input_gradient = w.gradient.data();
  return backward;
}

void expect_formula(const World& w, Centre centre) {
  const Expected by_formula = expected(w, w.added(), centre);
  EXPECT_LT(relative_error(w.output, by_formula.output), fp32_tolerance) << w.width;
  EXPECT_LT(relative_error(w.gradient, by_formula.gradient), fp32_tolerance) << w.width;
}

TEST_P(WideNorms, LayerNormForwardAndBackward) {
  for (const Index width : widths) {
    World w{width};
    auto forward = forward_of<LayerNormForward>(w);
    forward.bias = w.bias.data();
    forward.mean = w.mean.data();
    forward.inverse_deviation = w.inverse.data();
    kernels_->layer_norm_forward(forward, stream_);
    auto backward = backward_of<LayerNormInputGradient>(w);
    backward.mean = w.mean.data();
    backward.inverse_deviation = w.inverse.data();
    kernels_->layer_norm_input_gradient(backward, stream_);
    expect_formula(w, Centre::mean);
  }
}

TEST_P(WideNorms, RmsNormForwardAndBackward) {
  for (const Index width : widths) {
    World w{width};
    auto forward = forward_of<RmsNormForward>(w);
    forward.inverse_rms = w.inverse.data();
    kernels_->rms_norm_forward(forward, stream_);
    auto backward = backward_of<RmsNormInputGradient>(w);
    backward.inverse_rms = w.inverse.data();
    kernels_->rms_norm_input_gradient(backward, stream_);
    expect_formula(w, Centre::none);
  }
}

TEST_P(WideNorms, Bf16RowsBeyondTheRegistersAreCloseToFp32) {
  const Index width = 20480;
  World w{width};
  const auto x = narrow(*kernels_, w.x), weight = narrow(*kernels_, w.weight);
  auto output = poisoned_bf16(rows * width);
  auto forward = forward_of<RmsNormForward>(w);
  forward.residual = {};
  forward.sum = {};
  forward.input = x.data();
  forward.weight = weight.data();
  forward.output = output.data();
  forward.inverse_rms = w.inverse.data();
  kernels_->rms_norm_forward(forward, stream_);
  const Expected by_formula = expected(w, wide(w.x), Centre::none);
  EXPECT_LT(relative_error(widened(*kernels_, output), by_formula.output), bf16_tolerance);
}

}  // namespace
}  // namespace quintet::kernels
