// Optimizers against their formulas, element by element, in double; lists against their members
// alone.
#include <algorithm>

#include "tests/kernels/support.h"

namespace quintet::kernels {
namespace {

class Optimizers : public Operators {
 protected:
  std::unique_ptr<UpdateNumbers> numbers(int step, float rate) {
    return update_numbers(*kernels_, stream_, step, rate, 0.9F, 0.95F);
  }
};
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

  ParameterStretch stretch(ConstTensor gradient, double weight_decay) {
    return {count,        parameter.data(), gradient,
            first.data(), second.data(),    static_cast<float>(weight_decay),
            copy.data()};
  }
};

constexpr AdamConstants adam{static_cast<float>(beta1), static_cast<float>(beta2),
                             static_cast<float>(epsilon)};

// Elements from `first` on.
ParameterStretch part_of(ParameterStretch whole, Index first, Index size) {
  whole.count = size;
  whole.parameter += first;
  whole.gradient.data = static_cast<const float*>(whole.gradient.data) + first;
  whole.first_moment.data = static_cast<float*>(whole.first_moment.data) + first;
  whole.second_moment.data = static_cast<float*>(whole.second_moment.data) + first;
  whole.working_copy.data = static_cast<Bfloat16*>(whole.working_copy.data) + first;
  return whole;
}

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
    const auto now = numbers(step, static_cast<float>(rate));
    kernels_->adamw({list_of_one(w.stretch(gradient.data(), decay)), &factor, adam, now.get()},
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
  const auto now = numbers(1, 0.01F);
  const auto update = [&](const List<ParameterStretch>& stretches) {
    kernels_->adamw({stretches, nullptr, adam, now.get()}, stream_);
  };
  update(list_of_one(whole.stretch(gradient.data(), 0.1)));
  const ParameterStretch all = split.stretch(gradient.data(), 0.1);
  update({2, {part_of(all, 0, 21), part_of(all, 21, count - 21)}});
  EXPECT_EQ(bits_of(whole.parameter), bits_of(split.parameter));
}

TEST_P(Optimizers, LambIsItsFormula) {
  World w;
  Doubles expected = wide(w.parameter);
  std::vector<Moments> moments(size_of(count));
  for (int step = 1; step <= steps; ++step) {
    const Floats gradient = gradient_of(step);
    float parameter_norm = 0.0F, direction_norm = 0.0F;
    const LambStretch stretch{w.stretch(gradient.data(), decay), w.direction.data(),
                              &parameter_norm, &direction_norm};
    const auto now = numbers(step, static_cast<float>(rate));
    kernels_->lamb_direction({list_of_one(stretch), nullptr, adam, now.get()}, stream_);
    kernels_->lamb_step({list_of_one(stretch), now.get()}, stream_);
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
  Floats parameter(3, 0.0F), direction{1.0F, -2.0F, 3.0F};
  float none = 0.0F, norm = 14.0F;
  ParameterStretch stretch;
  stretch.count = 3;
  stretch.parameter = parameter.data();
  const auto now = numbers(1, 0.5F);
  kernels_->lamb_step(
      {list_of_one(LambStretch{stretch, direction.data(), &none, &norm}), now.get()}, stream_);
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
      ParameterStretch stretch = w.stretch(gradient.data(), decay);
      if (!velocity_used) stretch.first_moment = {};
      const auto now = numbers(step, static_cast<float>(rate));
      kernels_->sgd({list_of_one(stretch), nullptr, kind, 0.9F, now.get()}, stream_);
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

// Each step is the fp32 kernel's own step from the rounded moments; they are rounded once more,
// after it.
TEST_P(Optimizers, MomentsInBf16AreThoseInFp32Rounded) {
  World narrow, wide;
  std::vector<Bfloat16> first(size_of(count)), second(size_of(count));
  const auto rounded = [&](Floats& values, std::vector<Bfloat16>& to) {
    kernels_->cast({count, values.data(), to.data()}, stream_);
    kernels_->cast({count, to.data(), values.data()}, stream_);
  };
  std::vector<Bfloat16> expected_first(size_of(count)), expected_second(size_of(count));
  for (int step = 1; step <= steps; ++step) {
    const Floats gradient = gradient_of(step);
    ParameterStretch stretch = narrow.stretch(gradient.data(), decay);
    stretch.first_moment = first.data();
    stretch.second_moment = second.data();
    const auto now = numbers(step, static_cast<float>(rate));
    kernels_->adamw({list_of_one(stretch), nullptr, adam, now.get()}, stream_);
    kernels_->adamw({list_of_one(wide.stretch(gradient.data(), decay)), nullptr, adam, now.get()},
                    stream_);
    rounded(wide.first, expected_first);
    rounded(wide.second, expected_second);
    EXPECT_EQ(narrow.parameter, wide.parameter);
    for (std::size_t i = 0; i < first.size(); ++i) {
      ASSERT_EQ(first[i].bits, expected_first[i].bits);
      ASSERT_EQ(second[i].bits, expected_second[i].bits);
    }
  }
}

// More than a GPU's block works on, on no 16 bytes, and none at all.
const std::vector<Index>& lengths() {
  static const std::vector<Index> list{20'000, 1, 0, 4097, 64, 3, 33'000};
  return list;
}

// Tensors one after the other, each a stretch.
struct Tensors {
  Floats parameter, gradient, first, second, direction;
  std::vector<Bfloat16> copy;
  std::vector<ParameterStretch> stretches;

  explicit Tensors(Index first_place) {
    Index whole = first_place;
    for (const Index length : lengths()) whole += length;
    parameter = random_floats(whole, 1);
    gradient = random_floats(whole, 2);
    first = second = Floats(size_of(whole), 0.0F);
    direction = poisoned(whole);
    copy.resize(size_of(whole));
    const ParameterStretch all{
        whole, parameter.data(), gradient.data(), first.data(), second.data(), 0.1F, copy.data()};
    for (Index place = first_place; const Index length : lengths()) {
      stretches.push_back(part_of(all, place, length));
      place += length;
    }
  }

  template <class Item, class Make>
  List<Item> list(Make make) {
    List<Item> made;
    for (const ParameterStretch& stretch : stretches) made.items[made.number++] = make(stretch);
    return made;
  }
  List<ParameterStretch> list() {
    return list<ParameterStretch>([](const ParameterStretch& stretch) { return stretch; });
  }
  float* direction_of(const ParameterStretch& stretch) {
    return direction.data() + (stretch.parameter - parameter.data());
  }
};

TEST_P(Optimizers, AListIsItsTensorsOneByOne) {
  for (const Index first_place : {0, 1}) {
    Tensors together(first_place), alone(first_place);
    const auto now = numbers(2, 0.01F);
    const auto update = [&](const List<ParameterStretch>& stretches) {
      kernels_->adamw({stretches, nullptr, adam, now.get()}, stream_);
      kernels_->sgd({stretches, nullptr, SgdMomentum::nesterov, 0.9F, now.get()}, stream_);
    };
    update(together.list());
    for (const ParameterStretch& stretch : alone.stretches) update(list_of_one(stretch));
    EXPECT_EQ(bits_of(together.parameter), bits_of(alone.parameter)) << first_place;
    EXPECT_EQ(bits_of(together.second), bits_of(alone.second)) << first_place;
    EXPECT_EQ(widened(*kernels_, together.copy), widened(*kernels_, alone.copy)) << first_place;
  }
}

// The first three stretches are one tensor's, and one nobody asks of.
TEST_P(Optimizers, LambsNormsAreOfWholeTensors) {
  Tensors of(0);
  Floats norms(2 * of.stretches.size(), 0.0F);
  int number = 0;
  const auto list = of.list<LambStretch>([&](const ParameterStretch& stretch) {
    const int tensor = std::max(number++ - 2, 0);
    LambStretch made{stretch, of.direction_of(stretch), &norms[size_of(2 * tensor)],
                     &norms[size_of(2 * tensor + 1)]};
    if (number == 5) made.squared_parameter_norm = made.squared_direction_norm = nullptr;
    return made;
  });
  const Doubles before = wide(of.parameter);
  const auto now = numbers(1, 0.01F);
  kernels_->lamb_direction({list, nullptr, adam, now.get()}, stream_);
  const auto squares = [](const Doubles& values, Index first, Index end) {
    double sum = 0.0;
    for (Index place = first; place < end; ++place)
      sum += values[size_of(place)] * values[size_of(place)];
    return sum;
  };
  const Doubles direction = wide(of.direction);
  EXPECT_NEAR(norms[0] / squares(before, 0, 20'001), 1.0, 1e-6);
  EXPECT_NEAR(norms[1] / squares(direction, 0, 20'001), 1.0, 1e-6);
  EXPECT_NEAR(norms[2] / squares(before, 20'001, 24'098), 1.0, 1e-6);
  EXPECT_EQ(norms[4], 0.0F);
  EXPECT_NEAR(norms[6] / squares(before, 24'162, 24'165), 1.0, 1e-6);
  EXPECT_NEAR(norms[9] / squares(direction, 24'165, 57'165), 1.0, 1e-6);
}

TEST_P(Optimizers, SquaredNormAddsUpAcrossTensors) {
  Tensors of(1);
  const auto list = of.list<ConstStretch>([](const ParameterStretch& stretch) {
    return ConstStretch{stretch.count, stretch.gradient};
  });
  Doubles values = wide(of.gradient);
  values[0] = 0.0;
  double result = std::numeric_limits<double>::quiet_NaN();
  float rounded = -1.0F;
  kernels_->squared_norm({list, &result, GradientWrite::overwrite, &rounded}, stream_);
  EXPECT_NEAR(result / dot(values, values), 1.0, 1e-12);
  EXPECT_EQ(rounded, static_cast<float>(result));
  kernels_->squared_norm({list, &result}, stream_);
  EXPECT_NEAR(result / dot(values, values), 2.0, 1e-12);
  kernels_->squared_norm({List<ConstStretch>{}, &result, GradientWrite::overwrite}, stream_);
  EXPECT_EQ(result, 0.0);
}

TEST_P(Optimizers, GradientsOfAListAreScaled) {
  Tensors of(1);
  const Floats before = of.gradient;
  const float factor = 0.25F;
  const auto list = of.list<GradientStretch>([&](const ParameterStretch& stretch) {
    return GradientStretch{stretch.count,
                           of.gradient.data() + (stretch.parameter - of.parameter.data())};
  });
  kernels_->scale_gradients({list, &factor}, stream_);
  EXPECT_EQ(of.gradient[0], before[0]);
  for (std::size_t place = 1; place < before.size(); ++place)
    ASSERT_EQ(of.gradient[place], 0.25F * before[place]) << place;
}

// Norm 10 / 4 of unscaled gradients against 1: 0.4, 1 / 4 for the loss scale, a half of the sum;
// norm below: 1 / 4.
TEST_P(Optimizers, ClipFactorUndoesTheLossScaleToo) {
  const float squared = 100.0F, small = 1.0F;
  float factor = 0.0F;
  kernels_->clip_factor({&squared, 1.0F, 0.25F, &factor}, stream_);
  EXPECT_NEAR(factor, 0.1F, 1e-6F);
  kernels_->clip_factor({&squared, 1.0F, 0.25F, &factor, 0.5F}, stream_);
  EXPECT_NEAR(factor, 0.05F, 1e-6F);
  kernels_->clip_factor({&small, 1.0F, 0.25F, &factor}, stream_);
  EXPECT_EQ(factor, 0.25F);
}

// The inverse of the scale that lies in memory: of 4, as above.
TEST_P(Optimizers, ClipFactorReadsTheLossScaleWhenItRuns) {
  const float squared = 100.0F;
  const double loss_scale = 4.0;
  float factor = 0.0F;
  kernels_->clip_factor({&squared, 1.0F, 1.0F, &factor, 1.0F, &loss_scale}, stream_);
  EXPECT_NEAR(factor, 0.1F, 1e-6F);
}

// Updates 1, 2 and 3 at a scale of 8: the second overflows, which halves the scale and is no
// update; two good ones in a row double it. 1 - beta^n of the updates that there were: n is 1,
// then 2.
TEST_P(Optimizers, AnUpdateCountsUnlessItsNormOverflows) {
  const auto kept = std::make_unique<UpdateNumbers>();
  UpdateNumbers& now = *kept;
  now.loss_scale = 8.0;
  const float given = 0.25F, infinite = std::numeric_limits<float>::infinity();
  const auto begin = [&](float squared_norm) {
    kernels_->begin_update({&given, &squared_norm, {2.0, 0.5, 2}, 0.5F, 0.75F, kept.get()},
                           stream_);
  };
  begin(3.0F);
  EXPECT_TRUE(now.happens);
  EXPECT_EQ(now.learning_rate, 0.25F);
  EXPECT_EQ(now.first_correction, 0.5F);
  EXPECT_EQ(now.root_of_second_correction, 0.5F);
  EXPECT_EQ(now.loss_scale, 8.0);
  begin(infinite);
  EXPECT_FALSE(now.happens);
  EXPECT_EQ(now.updates, 1);
  EXPECT_EQ(now.scaled_by, 8.0);
  EXPECT_EQ(now.loss_scale, 4.0);
  begin(-infinite + infinite);
  EXPECT_FALSE(now.happens);
  EXPECT_EQ(now.loss_scale, 2.0);
  begin(3.0F);
  EXPECT_EQ(now.updates, 2);
  EXPECT_EQ(now.first_correction, 0.75F);
  EXPECT_EQ(now.loss_scale, 2.0);
  begin(3.0F);
  EXPECT_EQ(now.scaled_by, 2.0);
  EXPECT_EQ(now.loss_scale, 4.0);
  EXPECT_EQ(now.steps_since_overflow, 0);
}

// Nothing of a step that overflowed stays, whatever the gradients are.
TEST_P(Optimizers, AnUpdateThatDoesNotHappenChangesNothing) {
  const World before;
  World w;
  const Floats gradient = poisoned(count);
  const auto now = numbers(1, 0.1F);
  now->happens = false;
  const auto list = list_of_one(w.stretch(gradient.data(), decay));
  float parameter_norm = 0.0F, direction_norm = 0.0F;
  const LambStretch lamb{list.items[0], w.direction.data(), &parameter_norm, &direction_norm};
  kernels_->adamw({list, nullptr, adam, now.get()}, stream_);
  kernels_->sgd({list, nullptr, SgdMomentum::classical, 0.9F, now.get()}, stream_);
  kernels_->lamb_direction({list_of_one(lamb), nullptr, adam, now.get()}, stream_);
  kernels_->lamb_step({list_of_one(lamb), now.get()}, stream_);
  EXPECT_EQ(w.parameter, before.parameter);
  EXPECT_EQ(w.first, before.first);
  EXPECT_EQ(w.second, before.second);
}

TEST_P(Optimizers, Bf16GradientsAreRead) {
  World fp32, bf16;
  const auto gradient = narrow(*kernels_, gradient_of(1));
  const Floats same = widened(*kernels_, gradient);
  const auto now = numbers(1, 0.01F);
  const auto update = [&](World& w, ConstTensor of) {
    kernels_->adamw({list_of_one(w.stretch(of, 0.0)), nullptr, adam, now.get()}, stream_);
  };
  update(fp32, same.data());
  update(bf16, gradient.data());
  EXPECT_EQ(bits_of(fp32.parameter), bits_of(bf16.parameter));
}

}  // namespace
}  // namespace quintet::kernels
