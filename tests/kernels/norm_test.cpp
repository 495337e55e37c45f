// Layer norm and RMS norm against their formulas in double, their gradients against differences.
#include "tests/kernels/support.h"

namespace quintet::kernels {
namespace {

class Norms : public Operators {};
QUINTET_ON_EVERY_IMPLEMENTATION(Norms);

constexpr Index rows = 3;
constexpr Index width = 83;  // five vectors and three more elements
constexpr double epsilon = 1e-5;

double mean_of(const Doubles& x, Index row) {
  double sum = 0.0;
  for (Index c = 0; c < width; ++c) sum += x[size_of(row * width + c)];
  return sum / width;
}

double mean_square_of(const Doubles& x, Index row, double centre) {
  double sum = 0.0;
  for (Index c = 0; c < width; ++c) sum += std::pow(x[size_of(row * width + c)] - centre, 2);
  return sum / width;
}

Doubles naive_layer_norm(const Doubles& x, const Doubles& weight, const Doubles& bias) {
  Doubles y(x.size());
  for (Index i = 0; i < rows * width; ++i) {
    const double mean = mean_of(x, i / width);
    const double deviation = std::sqrt(mean_square_of(x, i / width, mean) + epsilon);
    y[size_of(i)] =
        (x[size_of(i)] - mean) / deviation * weight[size_of(i % width)] + bias[size_of(i % width)];
  }
  return y;
}

Doubles naive_rms_norm(const Doubles& x, const Doubles& weight) {
  Doubles y(x.size());
  for (Index i = 0; i < rows * width; ++i)
    y[size_of(i)] = x[size_of(i)] / std::sqrt(mean_square_of(x, i / width, 0.0) + epsilon) *
                    weight[size_of(i % width)];
  return y;
}

struct World {
  Floats x = random_floats(rows * width, 1, 2.0F);
  Floats residual = random_floats(rows * width, 2);
  Floats weight = random_floats(width, 3);
  Floats bias = random_floats(width, 4);
  Floats upstream = random_floats(rows * width, 5);
  Floats past = random_floats(rows * width, 6);
  Floats sum = poisoned(rows * width);
  Floats output = poisoned(rows * width);
  Floats mean = poisoned(rows);
  Floats inverse = poisoned(rows);
  Floats input_gradient = poisoned(rows * width);
  Floats weight_gradient = poisoned(width);
  Floats bias_gradient = poisoned(width);

  Floats added() const {
    Floats made(x);
    for (std::size_t i = 0; i < made.size(); ++i) made[i] += residual[i];
    return made;
  }
};

LayerNormForward layer_norm(World& w) {
  return {rows,
          width,
          static_cast<float>(epsilon),
          w.x.data(),
          {},
          {},
          w.weight.data(),
          w.bias.data(),
          w.output.data(),
          w.mean.data(),
          w.inverse.data()};
}

RmsNormForward rms_norm(World& w) {
  return {rows,
          width,
          static_cast<float>(epsilon),
          w.x.data(),
          {},
          {},
          w.weight.data(),
          w.output.data(),
          w.inverse.data()};
}

TEST_P(Norms, LayerNormIsItsFormula) {
  World w;
  kernels_->layer_norm_forward(layer_norm(w), stream_);
  const Doubles expected = naive_layer_norm(wide(w.x), wide(w.weight), wide(w.bias));
  EXPECT_LT(relative_error(w.output, expected), fp32_tolerance);
}

TEST_P(Norms, LayerNormAddsTheResidualFirst) {
  World w;
  LayerNormForward forward = layer_norm(w);
  forward.residual = w.residual.data();
  forward.sum = w.sum.data();
  kernels_->layer_norm_forward(forward, stream_);
  EXPECT_EQ(w.sum, w.added());
  const Doubles expected = naive_layer_norm(wide(w.added()), wide(w.weight), wide(w.bias));
  EXPECT_LT(relative_error(w.output, expected), fp32_tolerance);
}

TEST_P(Norms, LayerNormGradientsAreDifferences) {
  World w;
  kernels_->layer_norm_forward(layer_norm(w), stream_);
  kernels_->layer_norm_input_gradient(
      {rows, width, w.upstream.data(), w.past.data(), w.x.data(), w.weight.data(), w.mean.data(),
       w.inverse.data(), w.input_gradient.data()},
      stream_);
  kernels_->layer_norm_weight_gradient(
      {rows, width, w.upstream.data(), w.x.data(), w.mean.data(), w.inverse.data(),
       w.weight_gradient.data(), w.bias_gradient.data(), GradientWrite::overwrite},
      stream_);
  const Doubles x = wide(w.x), weight = wide(w.weight), bias = wide(w.bias);
  const Doubles upstream = wide(w.upstream), past = wide(w.past);
  const auto by_input = numeric_gradient(
      [&](const Doubles& v) {
        return dot(naive_layer_norm(v, weight, bias), upstream) + dot(v, past);
      },
      x);
  const auto by_weight = numeric_gradient(
      [&](const Doubles& v) { return dot(naive_layer_norm(x, v, bias), upstream); }, weight);
  const auto by_bias = numeric_gradient(
      [&](const Doubles& v) { return dot(naive_layer_norm(x, weight, v), upstream); }, bias);
  EXPECT_LT(relative_error(w.input_gradient, by_input), gradient_tolerance);
  EXPECT_LT(relative_error(w.weight_gradient, by_weight), gradient_tolerance);
  EXPECT_LT(relative_error(w.bias_gradient, by_bias), gradient_tolerance);
}

TEST_P(Norms, RmsNormIsItsFormulaWithAndWithoutResidual) {
  World w;
  kernels_->rms_norm_forward(rms_norm(w), stream_);
  EXPECT_LT(relative_error(w.output, naive_rms_norm(wide(w.x), wide(w.weight))), fp32_tolerance);
  RmsNormForward forward = rms_norm(w);
  forward.residual = w.residual.data();
  forward.sum = w.sum.data();
  kernels_->rms_norm_forward(forward, stream_);
  EXPECT_EQ(w.sum, w.added());
  EXPECT_LT(relative_error(w.output, naive_rms_norm(wide(w.added()), wide(w.weight))),
            fp32_tolerance);
}

TEST_P(Norms, RmsNormGradientsAreDifferences) {
  World w;
  kernels_->rms_norm_forward(rms_norm(w), stream_);
  kernels_->rms_norm_input_gradient({rows, width, w.upstream.data(), w.past.data(), w.x.data(),
                                     w.weight.data(), w.inverse.data(), w.input_gradient.data()},
                                    stream_);
  kernels_->rms_norm_weight_gradient({rows, width, w.upstream.data(), w.x.data(), w.inverse.data(),
                                      w.weight_gradient.data(), GradientWrite::overwrite},
                                     stream_);
  const Doubles x = wide(w.x), weight = wide(w.weight);
  const Doubles upstream = wide(w.upstream), past = wide(w.past);
  const auto by_input = numeric_gradient(
      [&](const Doubles& v) { return dot(naive_rms_norm(v, weight), upstream) + dot(v, past); }, x);
  const auto by_weight = numeric_gradient(
      [&](const Doubles& v) { return dot(naive_rms_norm(x, v), upstream); }, weight);
  EXPECT_LT(relative_error(w.input_gradient, by_input), gradient_tolerance);
  EXPECT_LT(relative_error(w.weight_gradient, by_weight), gradient_tolerance);
}

// 1 + 2 gradients: overwrite forgets what was there, accumulate adds to it.
// Heads 1 and 2 of rows of four, as keys lie beside queries and values.
TEST_P(Norms, RmsNormOfHeadsInWiderRowsIsThatOfTheHeadsAlone) {
  constexpr Index tokens = 5, heads = 2, size = 20, wide_row = 4 * size;
  const Floats all = random_floats(tokens * wide_row, 1), weight = random_floats(size, 2);
  const auto inner = [](const Floats& from) {
    Floats part;
    for (Index token = 0; token < tokens; ++token)
      for (Index c = size; c < 3 * size; ++c) part.push_back(from[size_of(token * wide_row + c)]);
    return part;
  };
  const RowsOfHeads strided{heads, wide_row};
  const Floats x = inner(all);
  Floats y = poisoned(tokens * heads * size), inverse = poisoned(tokens * heads), wide_y = all;
  kernels_->rms_norm_forward(
      {tokens * heads, size, 1e-5F, x.data(), {}, {}, weight.data(), y.data(), inverse.data()},
      stream_);
  kernels_->rms_norm_forward({tokens * heads,
                              size,
                              1e-5F,
                              all.data() + size,
                              {},
                              {},
                              weight.data(),
                              wide_y.data() + size,
                              inverse.data(),
                              strided,
                              strided},
                             stream_);
  EXPECT_EQ(bits_of(inner(wide_y)), bits_of(y));
  EXPECT_EQ(part_of(wide_y, 0, size), part_of(all, 0, size));

  Floats dx = poisoned(tokens * heads * size), dweight = poisoned(size);
  Floats wide_gradient = all, wide_dweight = poisoned(size);
  kernels_->rms_norm_input_gradient(
      {tokens * heads, size, y.data(), {}, x.data(), weight.data(), inverse.data(), dx.data()},
      stream_);
  kernels_->rms_norm_weight_gradient({tokens * heads, size, y.data(), x.data(), inverse.data(),
                                      dweight.data(), GradientWrite::overwrite},
                                     stream_);
  kernels_->rms_norm_weight_gradient(
      {tokens * heads, size, wide_y.data() + size, all.data() + size, inverse.data(),
       wide_dweight.data(), GradientWrite::overwrite, strided, strided},
      stream_);
  kernels_->rms_norm_input_gradient({tokens * heads,
                                     size,
                                     wide_y.data() + size,
                                     {},
                                     all.data() + size,
                                     weight.data(),
                                     inverse.data(),
                                     wide_gradient.data() + size,
                                     strided,
                                     strided},
                                    stream_);
  EXPECT_EQ(bits_of(inner(wide_gradient)), bits_of(dx));
  EXPECT_EQ(bits_of(wide_dweight), bits_of(dweight));
}

TEST_P(Norms, WeightGradientsAccumulate) {
  World w;
  kernels_->layer_norm_forward(layer_norm(w), stream_);
  LayerNormWeightGradient gradient{rows,
                                   width,
                                   w.upstream.data(),
                                   w.x.data(),
                                   w.mean.data(),
                                   w.inverse.data(),
                                   w.weight_gradient.data(),
                                   w.bias_gradient.data(),
                                   GradientWrite::overwrite};
  kernels_->layer_norm_weight_gradient(gradient, stream_);
  const Floats once = w.weight_gradient;
  gradient.write = GradientWrite::accumulate;
  kernels_->layer_norm_weight_gradient(gradient, stream_);
  Floats twice = once;
  for (float& value : twice) value *= 2.0F;
  EXPECT_EQ(w.weight_gradient, twice);
}

TEST_P(Norms, RowsSplitBetweenRanksGiveTheSameBits) {
  World whole, split;
  kernels_->layer_norm_forward(layer_norm(whole), stream_);
  for (Index row = 0; row < rows; ++row) {
    LayerNormForward one = layer_norm(split);
    one.rows = 1;
    one.input = split.x.data() + row * width;
    one.output = split.output.data() + row * width;
    one.mean += row;
    one.inverse_deviation += row;
    kernels_->layer_norm_forward(one, stream_);
  }
  EXPECT_EQ(bits_of(whole.output), bits_of(split.output));
  EXPECT_EQ(bits_of(whole.inverse), bits_of(split.inverse));
}

TEST_P(Norms, Bf16IsCloseToFp32) {
  World w;
  kernels_->layer_norm_forward(layer_norm(w), stream_);
  const auto x = narrow(*kernels_, w.x), weight = narrow(*kernels_, w.weight);
  const auto bias = narrow(*kernels_, w.bias), upstream = narrow(*kernels_, w.upstream);
  auto output = poisoned_bf16(rows * width);
  auto gradient = poisoned_bf16(rows * width);
  LayerNormForward forward = layer_norm(w);
  forward.input = x.data();
  forward.weight = weight.data();
  forward.bias = bias.data();
  forward.output = output.data();
  kernels_->layer_norm_forward(forward, stream_);
  EXPECT_LT(relative_error(widened(*kernels_, output), w.output), bf16_tolerance);
  LayerNormInputGradient backward;
  backward.rows = rows;
  backward.width = width;
  backward.output_gradient = w.upstream.data();
  backward.input = w.x.data();
  backward.weight = w.weight.data();
  backward.mean = w.mean.data();
  backward.inverse_deviation = w.inverse.data();
  backward.input_gradient = w.input_gradient.data();
  kernels_->layer_norm_input_gradient(backward, stream_);
  backward.output_gradient = upstream.data();
  backward.input = x.data();
  backward.weight = weight.data();
  backward.input_gradient = gradient.data();
  kernels_->layer_norm_input_gradient(backward, stream_);
  EXPECT_LT(relative_error(widened(*kernels_, gradient), w.input_gradient), bf16_tolerance);
}

}  // namespace
}  // namespace quintet::kernels
