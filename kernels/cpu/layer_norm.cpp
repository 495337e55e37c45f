#include "kernels/layer_norm.h"

#include "kernels/cpu/column_sums.h"
#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/norm_rows.h"

namespace quintet::kernels::QUINTET_CPU_TARGET {
namespace {

template <class Element>
void forward(const LayerNormForward& a, Element* kind) {
  const auto width = static_cast<float>(a.width);
  for (Index row = 0; row < a.rows; ++row) {
    const Element* const x = normalised_row(a, row, kind);
    const float mean =
        sum_over(a.width, [&](Index at, Index left) { return load(x + at, left); }) / width;
    const float variance = sum_over(a.width,
                                    [&](Index at, Index left) {
                                      const Lanes difference = load(x + at, left) - mean;
                                      return difference * difference;
                                    }) /
                           width;
    const float inverse = 1.0F / __builtin_sqrtf(variance + a.epsilon);
    a.mean[row] = mean;
    a.inverse_deviation[row] = inverse;
    Element* const output = elements(a.output, kind) + row * a.width;
    for_lanes(a.width, [&](Index at, Index left) {
      const Lanes weight = load(elements(a.weight, kind) + at, left);
      const Lanes bias = a.bias.data == nullptr ? Lanes{} : load(elements(a.bias, kind) + at, left);
      const Lanes normal = (load(x + at, left) - mean) * inverse;
      store(output + at, multiply_add(normal, weight, bias), left);
    });
  }
}

// With g = output_gradient * weight and n = (x - mean) / deviation:
// dx = (g - mean(g) - n mean(g n)) / deviation.
template <class Element>
void input_gradient(const LayerNormInputGradient& a, Element* kind) {
  const auto width = static_cast<float>(a.width);
  const Element* const weight = elements(a.weight, kind);
  for (Index row = 0; row < a.rows; ++row) {
    const Element* const x = elements(a.input, kind) + row * a.width;
    const Element* const upstream = elements(a.output_gradient, kind) + row * a.width;
    Element* const to = elements(a.input_gradient, kind) + row * a.width;
    const float inverse = a.inverse_deviation[row];
    const auto normal = [&](Index at, Index left) {
      return (load(x + at, left) - a.mean[row]) * inverse;
    };
    const auto g = [&](Index at, Index left) {
      return load(upstream + at, left) * load(weight + at, left);
    };
    const float mean_g = sum_over(a.width, g) / width;
    const float mean_gn =
        sum_over(a.width, [&](Index at, Index left) { return g(at, left) * normal(at, left); }) /
        width;
    for_lanes(a.width, [&](Index at, Index left) {
      const Lanes past = past_the_norm(a.residual_gradient, row * a.width + at, left, kind);
      const Lanes centred = g(at, left) - mean_g - normal(at, left) * mean_gn;
      store(to + at, multiply_add(centred, lanes(inverse), past), left);
    });
  }
}

template <class Element>
void weight_gradient(const LayerNormWeightGradient& a, Element* kind) {
  const Element* const x = elements(a.input, kind);
  const Element* const upstream = elements(a.output_gradient, kind);
  sum_columns(a.rows, a.width, a.write, a.weight_gradient, [&](Index row, Index at, Index left) {
    const Index offset = row * a.width + at;
    const Lanes normal = (load(x + offset, left) - a.mean[row]) * a.inverse_deviation[row];
    return load(upstream + offset, left) * normal;
  });
  if (a.bias_gradient == nullptr) return;
  sum_columns(a.rows, a.width, a.write, a.bias_gradient, [&](Index row, Index at, Index left) {
    return load(upstream + row * a.width + at, left);
  });
}

}  // namespace

void CpuKernels::layer_norm_forward(const LayerNormForward& a, Stream&) {
  with_element(a.input.type, [&](auto* kind) { forward(a, kind); });
}

void CpuKernels::layer_norm_input_gradient(const LayerNormInputGradient& a, Stream&) {
  with_element(a.input.type, [&](auto* kind) { input_gradient(a, kind); });
}

void CpuKernels::layer_norm_weight_gradient(const LayerNormWeightGradient& a, Stream&) {
  with_element(a.input.type, [&](auto* kind) { weight_gradient(a, kind); });
}

}  // namespace quintet::kernels::QUINTET_CPU_TARGET
