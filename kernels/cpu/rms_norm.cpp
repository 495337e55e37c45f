#include "kernels/rms_norm.h"

#include "kernels/cpu/column_sums.h"
#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/norm_rows.h"

namespace quintet::kernels::QUINTET_CPU_TARGET {
namespace {

QUINTET_LANES Index offset_of(const RowsOfHeads& rows, Index row, Index width) {
  if (rows.stride == 0) return row * width;
  return row / rows.heads * rows.stride + row % rows.heads * width;
}

template <class Element>
QUINTET_FLAT void forward(const RmsNormForward& a, Element* kind) {
  const auto width = static_cast<float>(a.width);
  for (Index row = 0; row < a.rows; ++row) {
    const Element* const input = elements(a.input, kind) + offset_of(a.input_rows, row, a.width);
    Element* const output = elements(a.output, kind) + offset_of(a.output_rows, row, a.width);
    const auto summed = summed_row(a, row, input, [](Lanes value) { return value * value; });
    const Element* const x = summed.x;
    const float mean_square = summed.sum / width;
    const float inverse = 1.0F / __builtin_sqrtf(mean_square + a.epsilon);
    a.inverse_rms[row] = inverse;
    for_lanes(a.width, [&](Index at, Index left) {
      const Lanes weight = load(elements(a.weight, kind) + at, left);
      store(output + at, load(x + at, left) * inverse * weight, left);
    });
  }
}

// With g = output_gradient * weight and n = x / rms: dx = (g - n mean(g n)) / rms.
template <class Element>
QUINTET_FLAT void input_gradient(const RmsNormInputGradient& a, Element* kind) {
  const auto width = static_cast<float>(a.width);
  const Element* const weight = elements(a.weight, kind);
  for (Index row = 0; row < a.rows; ++row) {
    const Index gradient = offset_of(a.gradient_rows, row, a.width);
    const Element* const x = elements(a.input, kind) + offset_of(a.input_rows, row, a.width);
    const Element* const upstream = elements(a.output_gradient, kind) + gradient;
    Element* const to = elements(a.input_gradient, kind) + gradient;
    const float inverse = a.inverse_rms[row];
    const auto normal = [&](Index at, Index left) { return load(x + at, left) * inverse; };
    const auto g = [&](Index at, Index left) {
      return load(upstream + at, left) * load(weight + at, left);
    };
    const float mean_gn =
        sum_over(a.width, [&](Index at, Index left) { return g(at, left) * normal(at, left); }) /
        width;
    for_lanes(a.width, [&](Index at, Index left) {
      const Lanes past = past_the_norm(a.residual_gradient, row * a.width + at, left, kind);
      const Lanes centred = g(at, left) - normal(at, left) * mean_gn;
      store(to + at, multiply_add(centred, lanes(inverse), past), left);
    });
  }
}

template <class Element>
QUINTET_FLAT void weight_gradient(const RmsNormWeightGradient& a, Element* kind) {
  const Element* const x = elements(a.input, kind);
  const Element* const upstream = elements(a.output_gradient, kind);
  sum_columns(a.rows, a.width, a.write, a.weight_gradient, [&](Index row, Index at, Index left) {
    const Lanes value = load(x + offset_of(a.input_rows, row, a.width) + at, left);
    return load(upstream + offset_of(a.gradient_rows, row, a.width) + at, left) *
           (value * a.inverse_rms[row]);
  });
}

template <class Element>
bool both_gradients(const RmsNormGradient& both, ProductScratch& scratch, Element* kind) {
  const RmsNormInputGradient& a = both.input;
  const auto row = [&](Index number) {
    const Index gradient = offset_of(a.gradient_rows, number, a.width);
    const Element* const past = elements(a.residual_gradient, kind);
    return NormGradientRow<Element>{
        elements(a.input, kind) + offset_of(a.input_rows, number, a.width),
        elements(a.output_gradient, kind) + gradient,
        past == nullptr ? nullptr : past + number * a.width,
        elements(a.weight, kind),
        elements(a.input_gradient, kind) + gradient,
        0.0F,
        a.inverse_rms[number]};
  };
  return norm_gradients<false>(a.rows, a.width, both.weight.write, both.weight.weight_gradient,
                               nullptr, scratch, row);
}

}  // namespace

void CpuKernels::rms_norm_forward(const RmsNormForward& a, Stream&) {
  with_element(a.input.type, [&](auto* kind) { forward(a, kind); });
}

void CpuKernels::rms_norm_input_gradient(const RmsNormInputGradient& a, Stream&) {
  with_element(a.input.type, [&](auto* kind) { input_gradient(a, kind); });
}

void CpuKernels::rms_norm_weight_gradient(const RmsNormWeightGradient& a, Stream&) {
  with_element(a.input.type, [&](auto* kind) { weight_gradient(a, kind); });
}

void CpuKernels::rms_norm_gradient(const RmsNormGradient& a, Stream& stream) {
  bool done = false;
  with_element(a.input.input.type, [&](auto* kind) { done = both_gradients(a, *scratch_, kind); });
  if (!done) Kernels::rms_norm_gradient(a, stream);
}

}  // namespace quintet::kernels::QUINTET_CPU_TARGET
