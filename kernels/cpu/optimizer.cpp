#include "kernels/optimizer.h"

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/memory.h"

namespace quintet::kernels::QUINTET_CPU_TARGET {
namespace {

// base^exponent by squaring: the C library's pow differs from version to version.
double power(double base, std::int64_t exponent) {
  double result = 1.0;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result *= base;
    base *= base;
  }
  return result;
}

// What the first steps' moments are divided by.
struct Corrections {
  float first;
  float root_of_second;
};

Corrections corrections(const AdamMoments& moments) {
  const double second = 1.0 - power(static_cast<double>(moments.beta2), moments.step);
  return {static_cast<float>(1.0 - power(static_cast<double>(moments.beta1), moments.step)),
          static_cast<float>(__builtin_sqrt(second))};
}

QUINTET_LANES Lanes gradient_at(const ParameterStretch& stretch, float factor, Index at,
                                Index left) {
  Lanes value{};
  with_element(stretch.gradient.type,
               [&](auto* kind) { value = load(elements(stretch.gradient, kind) + at, left); });
  return value * factor;
}

float factor_of(const ParameterStretch& stretch) {
  return stretch.gradient_factor == nullptr ? 1.0F : *stretch.gradient_factor;
}

QUINTET_LANES void store_parameter(float* parameter, const Tensor& copy, Lanes value, Index at,
                                   Index left) {
  store(parameter + at, value, left);
  if (copy.data == nullptr) return;
  with_element(copy.type, [&](auto* kind) { store(elements(copy, kind) + at, value, left); });
}

// Moves the moments on and returns corrected first / (sqrt(corrected second) + epsilon).
QUINTET_LANES Lanes adam_direction(const AdamMoments& m, const Corrections& corrected, Lanes g,
                                   Index at, Index left) {
  const Lanes old_first = load(m.first + at, left);
  const Lanes old_second = load(m.second + at, left);
  const Lanes first = multiply_add(old_first, lanes(m.beta1), (1.0F - m.beta1) * g);
  const Lanes second = multiply_add(old_second, lanes(m.beta2), (1.0F - m.beta2) * g * g);
  store(m.first + at, first, left);
  store(m.second + at, second, left);
  const Lanes deviation = square_root(second) / corrected.root_of_second + m.epsilon;
  return (first / corrected.first) / deviation;
}

// As double_sum_over() adds, but in two sums of eight: one of sixteen would not stay in registers.
template <class Element>
double squares_of(const Element* values, Index count) {
  using EightDoubles = double __attribute__((vector_size(64)));
  EightDoubles low{}, high{};
  for_lanes(count, [&](Index at, Index left) {
    const Lanes value = load(values + at, left);
    const auto first = __builtin_convertvector(
        __builtin_shufflevector(value, value, 0, 1, 2, 3, 4, 5, 6, 7), EightDoubles);
    const auto second = __builtin_convertvector(
        __builtin_shufflevector(value, value, 8, 9, 10, 11, 12, 13, 14, 15), EightDoubles);
    low += first * first;
    high += second * second;
  });
  return sum_of_lanes(
      __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
}

}  // namespace

void CpuKernels::adamw(const Adamw& a, Stream&) {
  assert(a.moments.step >= 1);
  const float factor = factor_of(a.stretch);
  const Corrections corrected = corrections(a.moments);
  const float kept = 1.0F - a.learning_rate * a.weight_decay;
  for_lanes(a.stretch.count, [&](Index at, Index left) {
    const Lanes g = gradient_at(a.stretch, factor, at, left);
    const Lanes direction = adam_direction(a.moments, corrected, g, at, left);
    const Lanes decayed = load(a.stretch.parameter + at, left) * kept;
    const Lanes updated = multiply_add(direction, lanes(-a.learning_rate), decayed);
    store_parameter(a.stretch.parameter, a.stretch.working_copy, updated, at, left);
  });
}

void CpuKernels::lamb_direction(const LambDirection& a, Stream&) {
  assert(a.moments.step >= 1);
  const float factor = factor_of(a.stretch);
  const Corrections corrected = corrections(a.moments);
  DoubleLanes parameter_squares{};
  DoubleLanes direction_squares{};
  for_lanes(a.stretch.count, [&](Index at, Index left) {
    const Lanes g = gradient_at(a.stretch, factor, at, left);
    const Lanes parameter = load(a.stretch.parameter + at, left);
    const Lanes adam = adam_direction(a.moments, corrected, g, at, left);
    const Lanes direction = multiply_add(parameter, lanes(a.weight_decay), adam);
    store(a.direction + at, direction, left);
    const DoubleLanes wide_parameter = to_double(parameter);
    const DoubleLanes wide_direction = to_double(first_lanes(direction, left));
    parameter_squares += wide_parameter * wide_parameter;
    direction_squares += wide_direction * wide_direction;
  });
  *a.squared_parameter_norm = sum_of_lanes(parameter_squares);
  *a.squared_direction_norm = sum_of_lanes(direction_squares);
}

void CpuKernels::lamb_step(const LambStep& a, Stream&) {
  const double parameter_norm = *a.squared_parameter_norm;
  const double direction_norm = *a.squared_direction_norm;
  const bool has_ratio = parameter_norm > 0.0 && direction_norm > 0.0;
  const double ratio = has_ratio ? __builtin_sqrt(parameter_norm / direction_norm) : 1.0;
  const auto rate = static_cast<float>(static_cast<double>(a.learning_rate) * ratio);
  for_lanes(a.count, [&](Index at, Index left) {
    const Lanes updated =
        multiply_add(load(a.direction + at, left), lanes(-rate), load(a.parameter + at, left));
    store_parameter(a.parameter, a.working_copy, updated, at, left);
  });
}

void CpuKernels::sgd(const Sgd& a, Stream&) {
  const float factor = factor_of(a.stretch);
  for_lanes(a.stretch.count, [&](Index at, Index left) {
    const Lanes parameter = load(a.stretch.parameter + at, left);
    const Lanes g =
        multiply_add(parameter, lanes(a.weight_decay), gradient_at(a.stretch, factor, at, left));
    Lanes direction = g;
    if (a.velocity != nullptr) {
      const Lanes old_velocity = load(a.velocity + at, left);
      const Lanes velocity = multiply_add(old_velocity, lanes(a.momentum), g);
      store(a.velocity + at, velocity, left);
      const bool nesterov = a.kind == SgdMomentum::nesterov;
      direction = nesterov ? multiply_add(velocity, lanes(a.momentum), g) : velocity;
    }
    const Lanes updated = multiply_add(direction, lanes(-a.learning_rate), parameter);
    store_parameter(a.stretch.parameter, a.stretch.working_copy, updated, at, left);
  });
}

void CpuKernels::squared_norm(const SquaredNorm& a, Stream&) {
  with_element(a.values.type, [&](auto* kind) {
    const double sum = squares_of(elements(a.values, kind), a.count);
    *a.result = a.write == GradientWrite::accumulate ? *a.result + sum : sum;
  });
}

void CpuKernels::clip_factor(const ClipFactor& a, Stream&) {
  const double scale = static_cast<double>(a.scale);
  const double norm = __builtin_sqrt(*a.squared_norm) * scale;
  const double clip = static_cast<double>(a.maximum_norm) / (norm + 1e-6);
  *a.factor = static_cast<float>((clip < 1.0 ? clip : 1.0) * scale);
}

}  // namespace quintet::kernels::QUINTET_CPU_TARGET
