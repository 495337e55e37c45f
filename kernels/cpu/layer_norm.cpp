#include "kernels/layer_norm.h"

#include "kernels/cpu/column_sums.h"
#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/norm_rows.h"

namespace quintet::kernels::QUINTET_CPU_TARGET {
namespace {

template <class Element>
QUINTET_FLAT void forward(const LayerNormForward& a, Element* kind) {
  const auto width = static_cast<float>(a.width);
  for (Index row = 0; row < a.rows; ++row) {
    const Element* const input = elements(a.input, kind) + row * a.width;
    Element* const output = elements(a.output, kind) + row * a.width;
    const auto summed = summed_row(a, row, input, [](Lanes value) { return value; });
    const Element* const x = summed.x;
    const float mean = summed.sum / width;
    const float variance = sum_over(a.width,
                                    [&](Index at, Index left) {
                                      const Lanes difference = load(x + at, left) - mean;
                                      return difference * difference;
                                    }) /
                           width;
    const float inverse = 1.0F / __builtin_sqrtf(variance + a.epsilon);
    a.mean[row] = mean;
    a.inverse_deviation[row] = inverse;
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
QUINTET_FLAT void input_gradient(const LayerNormInputGradient& a, Element* kind) {
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
QUINTET_FLAT void weight_gradient(const LayerNormWeightGradient& a, Element* kind) {
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

template <class Element>
bool both_gradients(const LayerNormGradient& both, ProductScratch& scratch, Element* kind) {
  const LayerNormInputGradient& a = both.input;
  const auto row = [&](Index number) {
    const Index start = number * a.width;
    const Element* const past = elements(a.residual_gradient, kind);
    return NormGradientRow<Element>{elements(a.input, kind) + start,
                                    elements(a.output_gradient, kind) + start,
                                    past == nullptr ? nullptr : past + start,
                                    elements(a.weight, kind),
                                    elements(a.input_gradient, kind) + start,
                                    a.mean[number],
                                    a.inverse_deviation[number]};
  };
  return norm_gradients<true>(a.rows, a.width, both.weight.write, both.weight.weight_gradient,
                              both.weight.bias_gradient, scratch, row);
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

void CpuKernels::layer_norm_gradient(const LayerNormGradient& a, Stream& stream) {
  bool done = false;
  with_element(a.input.input.type, [&](auto* kind) { done = both_gradients(a, *scratch_, kind); });
  if (!done) Kernels::layer_norm_gradient(a, stream);
}

}  // namespace quintet::kernels::QUINTET_CPU_TARGET
