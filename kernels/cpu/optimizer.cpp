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

void count_update(const BeginUpdate& a) {
  UpdateNumbers& numbers = *a.numbers;
  ++numbers.updates;
  const double second = 1.0 - power(static_cast<double>(a.beta2), numbers.updates);
  numbers.first_correction =
      static_cast<float>(1.0 - power(static_cast<double>(a.beta1), numbers.updates));
  numbers.root_of_second_correction = static_cast<float>(__builtin_sqrt(second));
}

void scale_next_step(const BeginUpdate& a) {
  UpdateNumbers& numbers = *a.numbers;
  if (!numbers.happens) {
    numbers.loss_scale *= a.loss_scale.backoff;
    numbers.steps_since_overflow = 0;
  } else if (++numbers.steps_since_overflow == a.loss_scale.growth_interval) {
    numbers.loss_scale *= a.loss_scale.growth;
    numbers.steps_since_overflow = 0;
  }
}

QUINTET_LANES Lanes gradient_at(const ParameterStretch& stretch, float factor, Index at,
                                Index left) {
  Lanes value{};
  with_element(stretch.gradient.type,
               [&](auto* kind) { value = load(elements(stretch.gradient, kind) + at, left); });
  return value * factor;
}

QUINTET_LANES Lanes load_moment(const Tensor& moment, Index at, Index left) {
  Lanes value{};
  with_element(moment.type, [&](auto* kind) { value = load(elements(moment, kind) + at, left); });
  return value;
}

QUINTET_LANES void store_moment(const Tensor& moment, Lanes value, Index at, Index left) {
  with_element(moment.type, [&](auto* kind) { store(elements(moment, kind) + at, value, left); });
}

float factor_of(const float* gradient_factor) {
  return gradient_factor == nullptr ? 1.0F : *gradient_factor;
}

QUINTET_LANES void store_parameter(const ParameterStretch& stretch, Lanes value, Index at,
                                   Index left) {
  store(stretch.parameter + at, value, left);
  const Tensor& copy = stretch.working_copy;
  if (copy.data == nullptr) return;
  with_element(copy.type, [&](auto* kind) { store(elements(copy, kind) + at, value, left); });
}

// Moves the moments on and returns corrected first / (sqrt(corrected second) + epsilon).
QUINTET_LANES Lanes adam_direction(const ParameterStretch& stretch, const AdamConstants& adam,
                                   const UpdateNumbers& now, Lanes g, Index at, Index left) {
  const Lanes old_first = load_moment(stretch.first_moment, at, left);
  const Lanes old_second = load_moment(stretch.second_moment, at, left);
  const Lanes first = multiply_add(old_first, lanes(adam.beta1), (1.0F - adam.beta1) * g);
  const Lanes second = multiply_add(old_second, lanes(adam.beta2), (1.0F - adam.beta2) * g * g);
  store_moment(stretch.first_moment, first, at, left);
  store_moment(stretch.second_moment, second, at, left);
  const Lanes deviation = square_root(second) / now.root_of_second_correction + adam.epsilon;
  return (first / now.first_correction) / deviation;
}

template <class Element>
double squares_of(const Element* values, Index count) {
  return double_sum_over(count, [&](Index at, Index left) {
    const DoubleLanes value = to_double(load(values + at, left));
    return value * value;
  });
}

void adamw_step(const Adamw& a, const ParameterStretch& stretch, float factor,
                const UpdateNumbers& now) {
  const float rate = now.learning_rate, kept = 1.0F - rate * stretch.weight_decay;
  for_lanes(stretch.count, [&](Index at, Index left) {
    const Lanes g = gradient_at(stretch, factor, at, left);
    const Lanes direction = adam_direction(stretch, a.adam, now, g, at, left);
    const Lanes decayed = load(stretch.parameter + at, left) * kept;
    store_parameter(stretch, multiply_add(direction, lanes(-rate), decayed), at, left);
  });
}

void find_direction(const LambDirection& a, const LambStretch& stretch, float factor,
                    const UpdateNumbers& now) {
  DoubleLanes parameter_squares{};
  DoubleLanes direction_squares{};
  for_lanes(stretch.of.count, [&](Index at, Index left) {
    const Lanes g = gradient_at(stretch.of, factor, at, left);
    const Lanes parameter = load(stretch.of.parameter + at, left);
    const Lanes adam = adam_direction(stretch.of, a.adam, now, g, at, left);
    const Lanes direction = multiply_add(parameter, lanes(stretch.of.weight_decay), adam);
    store(stretch.direction + at, direction, left);
    const DoubleLanes wide_parameter = to_double(parameter);
    const DoubleLanes wide_direction = to_double(first_lanes(direction, left));
    parameter_squares += wide_parameter * wide_parameter;
    direction_squares += wide_direction * wide_direction;
  });
  if (stretch.squared_parameter_norm == nullptr) return;
  *stretch.squared_parameter_norm += static_cast<float>(sum_of_lanes(parameter_squares));
  *stretch.squared_direction_norm += static_cast<float>(sum_of_lanes(direction_squares));
}

void sgd_step(const Sgd& a, const ParameterStretch& stretch, float factor, float rate) {
  for_lanes(stretch.count, [&](Index at, Index left) {
    const Lanes parameter = load(stretch.parameter + at, left);
    const Lanes g = multiply_add(parameter, lanes(stretch.weight_decay),
                                 gradient_at(stretch, factor, at, left));
    Lanes direction = g;
    if (stretch.first_moment.data != nullptr) {
      const Lanes old_velocity = load_moment(stretch.first_moment, at, left);
      const Lanes velocity = multiply_add(old_velocity, lanes(a.momentum), g);
      store_moment(stretch.first_moment, velocity, at, left);
      const bool nesterov = a.kind == SgdMomentum::nesterov;
      direction = nesterov ? multiply_add(velocity, lanes(a.momentum), g) : velocity;
    }
    store_parameter(stretch, multiply_add(direction, lanes(-rate), parameter), at, left);
  });
}

}  // namespace

void CpuKernels::begin_update(const BeginUpdate& a, Stream&) {
  UpdateNumbers& numbers = *a.numbers;
  numbers.learning_rate = *a.learning_rate;
  numbers.happens = a.squared_norm == nullptr || __builtin_isfinite(*a.squared_norm);
  numbers.scaled_by = numbers.loss_scale;
  if (numbers.happens) count_update(a);
  if (a.squared_norm != nullptr) scale_next_step(a);
}

void CpuKernels::adamw(const Adamw& a, Stream&) {
  if (!a.numbers->happens) return;
  const float factor = factor_of(a.gradient_factor);
  for (const ParameterStretch& stretch : a.stretches) adamw_step(a, stretch, factor, *a.numbers);
}

void CpuKernels::lamb_direction(const LambDirection& a, Stream&) {
  if (!a.numbers->happens) return;
  const float factor = factor_of(a.gradient_factor);
  for (const LambStretch& stretch : a.stretches) find_direction(a, stretch, factor, *a.numbers);
}

void CpuKernels::lamb_step(const LambStep& a, Stream&) {
  if (!a.numbers->happens) return;
  for (const LambStretch& stretch : a.stretches) {
    const auto parameter_norm = static_cast<double>(*stretch.squared_parameter_norm);
    const auto direction_norm = static_cast<double>(*stretch.squared_direction_norm);
    const bool has_ratio = parameter_norm > 0.0 && direction_norm > 0.0;
    const double ratio = has_ratio ? __builtin_sqrt(parameter_norm / direction_norm) : 1.0;
    const auto rate = static_cast<float>(static_cast<double>(a.numbers->learning_rate) * ratio);
    for_lanes(stretch.of.count, [&](Index at, Index left) {
      const Lanes parameter = load(stretch.of.parameter + at, left);
      store_parameter(stretch.of,
                      multiply_add(load(stretch.direction + at, left), lanes(-rate), parameter), at,
                      left);
    });
  }
}

void CpuKernels::sgd(const Sgd& a, Stream&) {
  if (!a.numbers->happens) return;
  const float factor = factor_of(a.gradient_factor), rate = a.numbers->learning_rate;
  for (const ParameterStretch& stretch : a.stretches) sgd_step(a, stretch, factor, rate);
}

void CpuKernels::squared_norm(const SquaredNorm& a, Stream&) {
  double sum = a.write == GradientWrite::accumulate ? *a.result : 0.0;
  for (const ConstStretch& stretch : a.stretches)
    with_element(stretch.values.type, [&](auto* kind) {
      sum += squares_of(elements(stretch.values, kind), stretch.count);
    });
  *a.result = sum;
  if (a.rounded != nullptr) *a.rounded = static_cast<float>(sum);
}

void CpuKernels::clip_factor(const ClipFactor& a, Stream&) {
  const float given = a.loss_scale ? static_cast<float>(1.0 / *a.loss_scale) : a.scale;
  const double scale = static_cast<double>(given);
  const double norm = __builtin_sqrt(static_cast<double>(*a.squared_norm)) * scale;
  const double clip = static_cast<double>(a.maximum_norm) / (norm + 1e-6);
  const bool kept = a.result == ScaledBy::kept;
  const bool clips = clip < 1.0 && !(kept && __builtin_isinf(norm));
  *a.factor = static_cast<float>((clips ? clip : 1.0) * (kept ? 1.0 : scale)) * a.share;
}

void CpuKernels::scale_gradients(const ScaleGradients& a, Stream&) {
  const float factor = *a.factor;
  for (const GradientStretch& stretch : a.stretches)
    for_lanes(stretch.count, [&](Index at, Index left) {
      store(stretch.values + at, load(stretch.values + at, left) * factor, left);
    });
}

}  // namespace quintet::kernels::QUINTET_CPU_TARGET
