#include "kernels/activation.h"

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/functions.h"
#include "kernels/cpu/memory.h"

namespace quintet::kernels::QUINTET_CPU_TARGET {
namespace {

constexpr float cubic = 0.044715F;
constexpr float root_two_over_pi = 0.7978845608F;

// (1 + tanh(u)) / 2 is the logistic function of 2 u.
QUINTET_LANES Lanes hyperbolic_share(Lanes x) {
  return logistic(2.0F * root_two_over_pi * (x + cubic * x * x * x));
}

// Phi(x), the normal distribution; by erfc, which stays exact in the lower tail.
QUINTET_LANES Lanes normal_share(Lanes x) {
  constexpr float root_half = 0.7071067812F;
  const Lanes tail = 0.5F * complementary_error(select(x < Lanes{}, -x, x) * root_half);
  return select(x < Lanes{}, tail, 1.0F - tail);
}

QUINTET_LANES Lanes slope(Lanes x, GeluForm form) {
  switch (form) {
    case GeluForm::hyperbolic: {
      const Lanes share = hyperbolic_share(x);
      const Lanes inner = 2.0F * root_two_over_pi * (1.0F + 3.0F * cubic * x * x);
      return share + x * share * (1.0F - share) * inner;
    }
    case GeluForm::error_function: {
      constexpr float density_at_0 = 0.3989422804F;  // 1 / sqrt(2 pi)
      return normal_share(x) + x * density_at_0 * exponential(-0.5F * x * x);
    }
  }
  return Lanes{};
}

template <class Element>
QUINTET_FLAT void gelu(const GeluForward& a, Element* kind) {
  for_lanes(a.count, [&](Index at, Index left) {
    const Lanes x = load(elements(a.input, kind) + at, left);
    const Lanes share = a.form == GeluForm::hyperbolic ? hyperbolic_share(x) : normal_share(x);
    store(elements(a.output, kind) + at, x * share, left);
  });
}

template <class Element>
QUINTET_FLAT void gelu_gradient(const GeluBackward& a, Element* kind) {
  for_lanes(a.count, [&](Index at, Index left) {
    const Lanes x = load(elements(a.input, kind) + at, left);
    const Lanes upstream = load(elements(a.output_gradient, kind) + at, left);
    store(elements(a.input_gradient, kind) + at, upstream * slope(x, a.form), left);
  });
}

Index stride_of(Index stride, Index width) {
  return stride == 0 ? width : stride;
}

template <class Element>
QUINTET_FLAT void swiglu(const SwigluForward& a, Element* kind) {
  const Index stride = stride_of(a.input_stride, a.width);
  for (Index row = 0; row < a.rows; ++row)
    for_lanes(a.width, [&](Index at, Index left) {
      const Lanes gate = load(elements(a.gate, kind) + row * stride + at, left);
      const Lanes up = load(elements(a.up, kind) + row * stride + at, left);
      store(elements(a.output, kind) + row * a.width + at, gate * logistic(gate) * up, left);
    });
}

// d silu(x) = s + x s (1 - s).
template <class Element>
QUINTET_FLAT void swiglu_gradient(const SwigluBackward& a, Element* kind) {
  const Index stride = stride_of(a.input_stride, a.width);
  for (Index row = 0; row < a.rows; ++row)
    for_lanes(a.width, [&](Index at, Index left) {
      const Index offset = row * stride + at;
      const Lanes gate = load(elements(a.gate, kind) + offset, left);
      const Lanes up = load(elements(a.up, kind) + offset, left);
      const Lanes upstream = load(elements(a.output_gradient, kind) + row * a.width + at, left);
      const Lanes share = logistic(gate);
      const Lanes silu = gate * share;
      const Lanes silu_slope = share + silu * (1.0F - share);
      store(elements(a.gate_gradient, kind) + offset, upstream * up * silu_slope, left);
      store(elements(a.up_gradient, kind) + offset, upstream * silu, left);
    });
}

}  // namespace

void CpuKernels::gelu_forward(const GeluForward& a, Stream&) {
  with_element(a.input.type, [&](auto* kind) { gelu(a, kind); });
}

void CpuKernels::gelu_backward(const GeluBackward& a, Stream&) {
  with_element(a.input.type, [&](auto* kind) { gelu_gradient(a, kind); });
}

void CpuKernels::swiglu_forward(const SwigluForward& a, Stream&) {
  with_element(a.gate.type, [&](auto* kind) { swiglu(a, kind); });
}

void CpuKernels::swiglu_backward(const SwigluBackward& a, Stream&) {
  with_element(a.gate.type, [&](auto* kind) { swiglu_gradient(a, kind); });
}

}  // namespace quintet::kernels::QUINTET_CPU_TARGET
