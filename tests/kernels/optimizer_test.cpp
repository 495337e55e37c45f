// Optimizers against their formulas, element by element, in double.
#include "tests/kernels/support.h"

namespace quintet::kernels {
namespace {

class Optimizers : public Operators {};
QUINTET_ON_EVERY_IMPLEMENTATION(Optimizers);

constexpr Index count = 53;
constexpr double rate = 0.01, decay = 0.1, beta1 = 0.9, beta2 = 0.95, epsilon = 1e-6;
constexpr int steps = 5;

struct World {
  Floats parameter = random_floats(count, 1);
  Floats first = Floats(count, 0.0F);
  Floats second = Floats(count, 0.0F);
  Floats direction = poisoned(count);
  std::vector<Bfloat16> copy = poisoned_bf16(count);

  AdamMoments moments(int step) {
    return {first.data(),
            second.data(),
            static_cast<float>(beta1),
            static_cast<float>(beta2),
            static_cast<float>(epsilon),
            step};
  }
};

Floats gradient_of(int step) {
  return random_floats(count, 10 + static_cast<unsigned>(step));
}

// One element's moments and Kingma and Ba's corrected quotient.
struct Moments {
  double first = 0.0, second = 0.0;
  double quotient(double g, int step) {
    first = beta1 * first + (1.0 - beta1) * g;
    second = beta2 * second + (1.0 - beta2) * g * g;
    const double corrected = second / (1.0 - std::pow(beta2, step));
    return first / (1.0 - std::pow(beta1, step)) / (std::sqrt(corrected) + epsilon);
  }
};

TEST_P(Optimizers, AdamwIsItsFormula) {
  World w;
  Doubles expected = wide(w.parameter);
  std::vector<Moments> moments(size_of(count));
  const float factor = 0.5F;
  for (int step = 1; step <= steps; ++step) {
    const Floats gradient = gradient_of(step);
    kernels_->adamw({{count, w.parameter.data(), gradient.data(), &factor, w.copy.data()},
                     w.moments(step),
                     static_cast<float>(rate),
                     static_cast<float>(decay)},
                    stream_);
    for (std::size_t i = 0; i < expected.size(); ++i)
      expected[i] = expected[i] * (1.0 - rate * decay) -
                    rate * moments[i].quotient(0.5 * static_cast<double>(gradient[i]), step);
  }
  EXPECT_LT(relative_error(w.parameter, expected), fp32_tolerance);
  EXPECT_EQ(widened(*kernels_, w.copy), widened(*kernels_, narrow(*kernels_, w.parameter)));
}

TEST_P(Optimizers, AShardedUpdateIsTheUpdateOfTheWhole) {
  World whole, split;
  const Floats gradient = gradient_of(1);
  const auto update = [&](World& w, Index first, Index size) {
    AdamMoments moments = w.moments(1);
    moments.first += first;
    moments.second += first;
    kernels_->adamw({{size, w.parameter.data() + first, gradient.data() + first, nullptr, {}},
                     moments,
                     0.01F,
                     0.1F},
                    stream_);
  };
  update(whole, 0, count);
  update(split, 0, 21);
  update(split, 21, count - 21);
  EXPECT_EQ(bits_of(whole.parameter), bits_of(split.parameter));
}

TEST_P(Optimizers, LambIsItsFormula) {
  World w;
  Doubles expected = wide(w.parameter);
  std::vector<Moments> moments(size_of(count));
  for (int step = 1; step <= steps; ++step) {
    const Floats gradient = gradient_of(step);
    double parameter_norm = -1.0, direction_norm = -1.0;
    kernels_->lamb_direction({{count, w.parameter.data(), gradient.data(), nullptr, {}},
                              w.moments(step),
                              static_cast<float>(decay),
                              w.direction.data(),
                              &parameter_norm,
                              &direction_norm},
                             stream_);
    kernels_->lamb_step({count, w.parameter.data(), w.copy.data(), w.direction.data(),
                         &parameter_norm, &direction_norm, static_cast<float>(rate)},
                        stream_);
    Doubles direction;
    for (std::size_t i = 0; i < expected.size(); ++i)
      direction.push_back(moments[i].quotient(static_cast<double>(gradient[i]), step) +
                          decay * expected[i]);
    const double ratio = std::sqrt(dot(expected, expected) / dot(direction, direction));
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] -= rate * ratio * direction[i];
  }
  EXPECT_LT(relative_error(w.parameter, expected), fp32_tolerance);
  EXPECT_EQ(widened(*kernels_, w.copy), widened(*kernels_, narrow(*kernels_, w.parameter)));
}

// Parameters of zero have no norm to scale by: the step is rate * direction.
TEST_P(Optimizers, LambStartsFromZeroParameters) {
  Floats parameter(3, 0.0F);
  const Floats direction{1.0F, -2.0F, 3.0F};
  const double none = 0.0, norm = 14.0;
  kernels_->lamb_step({3, parameter.data(), {}, direction.data(), &none, &norm, 0.5F}, stream_);
  EXPECT_EQ(parameter, (Floats{-0.5F, 1.0F, -1.5F}));
}

TEST_P(Optimizers, SgdWithoutAndWithBothMomenta) {
  for (const auto& [velocity_used, kind] :
       {std::pair{false, SgdMomentum::classical}, std::pair{true, SgdMomentum::classical},
        std::pair{true, SgdMomentum::nesterov}}) {
    World w;
    Doubles expected = wide(w.parameter), velocity(size_of(count), 0.0);
    for (int step = 1; step <= steps; ++step) {
      const Floats gradient = gradient_of(step);
      kernels_->sgd({{count, w.parameter.data(), gradient.data(), nullptr, {}},
                     velocity_used ? w.first.data() : nullptr,
                     kind,
                     0.9F,
                     static_cast<float>(rate),
                     static_cast<float>(decay)},
                    stream_);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const double g = static_cast<double>(gradient[i]) + decay * expected[i];
        velocity[i] = 0.9 * velocity[i] + g;
        const double moved = kind == SgdMomentum::nesterov ? g + 0.9 * velocity[i] : velocity[i];
        expected[i] -= rate * (velocity_used ? moved : g);
      }
    }
    EXPECT_LT(relative_error(w.parameter, expected), fp32_tolerance);
  }
}

TEST_P(Optimizers, SquaredNormAddsUpAcrossTensors) {
  const Floats a = random_floats(77, 1, 1e3F), b = random_floats(33, 2);
  double result = std::numeric_limits<double>::quiet_NaN();
  kernels_->squared_norm({77, a.data(), &result, GradientWrite::overwrite}, stream_);
  kernels_->squared_norm({33, b.data(), &result}, stream_);
  EXPECT_NEAR(result / (dot(wide(a), wide(a)) + dot(wide(b), wide(b))), 1.0, 1e-14);
}

// Norm 10 / 4 of unscaled gradients against 1: 0.4, and 1 / 4 for the loss scale; norm below: 1
// / 4.
TEST_P(Optimizers, ClipFactorUndoesTheLossScaleToo) {
  const double squared = 100.0, small = 1.0;
  float factor = 0.0F;
  kernels_->clip_factor({&squared, 1.0F, 0.25F, &factor}, stream_);
  EXPECT_NEAR(factor, 0.1F, 1e-6F);
  kernels_->clip_factor({&small, 1.0F, 0.25F, &factor}, stream_);
  EXPECT_EQ(factor, 0.25F);
}

TEST_P(Optimizers, Bf16GradientsAreRead) {
  World fp32, bf16;
  const auto gradient = narrow(*kernels_, gradient_of(1));
  const Floats same = widened(*kernels_, gradient);
  kernels_->adamw(
      {{count, fp32.parameter.data(), same.data(), nullptr, {}}, fp32.moments(1), 0.01F}, stream_);
  kernels_->adamw(
      {{count, bf16.parameter.data(), gradient.data(), nullptr, {}}, bf16.moments(1), 0.01F},
      stream_);
  EXPECT_EQ(bits_of(fp32.parameter), bits_of(bf16.parameter));
}

}  // namespace
}  // namespace quintet::kernels
