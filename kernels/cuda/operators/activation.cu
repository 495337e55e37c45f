#include "kernels/activation.h"

#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/tile/each.h"

namespace quintet::kernels::cuda {

namespace {

__device__ float logistic(float x) {
  return 1.0F / (1.0F + expf(-x));
}

// (1 + tanh(u)) / 2 is the logistic function of 2 u.
constexpr float cubic = 0.044715F;
constexpr float twice_root_two_over_pi = 2.0F * 0.7978845608F;

template <GeluForm form>
__device__ float share_of(float x) {
  if constexpr (form == GeluForm::hyperbolic)
    return logistic(twice_root_two_over_pi * (x + cubic * x * x * x));
  else
    return 0.5F * erfcf(-x * 0.7071067812F);  // stays exact in the lower tail
}

template <GeluForm form>
__device__ float slope_of(float x) {
  const float share = share_of<form>(x);
  if constexpr (form == GeluForm::hyperbolic) {
    const float inner = twice_root_two_over_pi * (1.0F + 3.0F * cubic * x * x);
    return share + x * share * (1.0F - share) * inner;
  } else {
    constexpr float density_at_0 = 0.3989422804F;  // 1 / sqrt(2 pi)
    return share + x * density_at_0 * expf(-0.5F * x * x);
  }
}

template <class Element, GeluForm form>
struct GeluStep {
  const Element* input;
  Element* output;
  template <int width>
  __device__ void operator()(Index at) const {
    float x[width];
    load_pack(input + at, x);
#pragma unroll
    for (int i = 0; i < width; ++i) x[i] *= share_of<form>(x[i]);
    store_pack(output + at, x);
  }
};

template <class Element, GeluForm form>
struct GeluGradientStep {
  const Element* input;
  const Element* upstream;
  Element* gradient;
  template <int width>
  __device__ void operator()(Index at) const {
    float x[width], g[width];
    load_pack(input + at, x);
    load_pack(upstream + at, g);
#pragma unroll
    for (int i = 0; i < width; ++i) g[i] *= slope_of<form>(x[i]);
    store_pack(gradient + at, g);
  }
};

// Elements counted through the rows of `width`, found in rows `stride` apart.
struct Rows {
  Index width, stride;
  __device__ Index place(Index at) const { return at / width * stride + at % width; }
};

template <class Element>
struct SwigluStep {
  Rows rows;
  const Element* gate;
  const Element* up;
  Element* output;
  template <int width>
  __device__ void operator()(Index at) const {
    const Index from = rows.place(at);
    float g[width], u[width];
    load_pack(gate + from, g);
    load_pack(up + from, u);
#pragma unroll
    for (int i = 0; i < width; ++i) g[i] = g[i] * logistic(g[i]) * u[i];
    store_pack(output + at, g);
  }
};

// d silu(x) = s + x s (1 - s).
template <class Element>
struct SwigluGradientStep {
  Rows rows;
  const Element* gate;
  const Element* up;
  const Element* upstream;
  Element* gate_gradient;
  Element* up_gradient;
  template <int width>
  __device__ void operator()(Index at) const {
    const Index place = rows.place(at);
    float g[width], u[width], d[width];
    load_pack(gate + place, g);
    load_pack(up + place, u);
    load_pack(upstream + at, d);
#pragma unroll
    for (int i = 0; i < width; ++i) {
      const float share = logistic(g[i]);
      const float silu = g[i] * share;
      g[i] = d[i] * u[i] * (share + silu * (1.0F - share));
      u[i] = d[i] * silu;
    }
    store_pack(gate_gradient + place, g);
    store_pack(up_gradient + place, u);
  }
};

template <class Element>
bool whole_packs(const Rows& rows) {
  return rows.width % pack_size<Element> == 0 && rows.stride % pack_size<Element> == 0;
}

Rows rows_of(Index width, Index stride) {
  return {width, stride == 0 ? width : stride};
}

template <class Work>
void with_form(GeluForm form, Work work) {
  switch (form) {
    case GeluForm::hyperbolic:
      return work(std::integral_constant<GeluForm, GeluForm::hyperbolic>{});
    case GeluForm::error_function:
      return work(std::integral_constant<GeluForm, GeluForm::error_function>{});
  }
}

}  // namespace

void CudaKernels::gelu_forward(const GeluForward& a, Stream& stream) {
  with_element(a.input.type, [&](auto* kind) {
    with_form(a.form, [&](auto form) {
      using Element = std::remove_pointer_t<decltype(kind)>;
      const GeluStep<Element, decltype(form)::value> step{elements(a.input, kind),
                                                          elements(a.output, kind)};
      for_each<Element>(a.count, on_16_bytes(step.input, step.output), stream, step);
    });
  });
}

void CudaKernels::gelu_backward(const GeluBackward& a, Stream& stream) {
  with_element(a.input.type, [&](auto* kind) {
    with_form(a.form, [&](auto form) {
      using Element = std::remove_pointer_t<decltype(kind)>;
      const GeluGradientStep<Element, decltype(form)::value> step{elements(a.input, kind),
                                                                  elements(a.output_gradient, kind),
                                                                  elements(a.input_gradient, kind)};
      for_each<Element>(a.count, on_16_bytes(step.input, step.upstream, step.gradient), stream,
                        step);
    });
  });
}

void CudaKernels::swiglu_forward(const SwigluForward& a, Stream& stream) {
  with_element(a.gate.type, [&](auto* kind) {
    using Element = std::remove_pointer_t<decltype(kind)>;
    const SwigluStep<Element> step{rows_of(a.width, a.input_stride), elements(a.gate, kind),
                                   elements(a.up, kind), elements(a.output, kind)};
    const bool packed =
        whole_packs<Element>(step.rows) && on_16_bytes(step.gate, step.up, step.output);
    for_each<Element>(a.rows * a.width, packed, stream, step);
  });
}

void CudaKernels::swiglu_backward(const SwigluBackward& a, Stream& stream) {
  with_element(a.gate.type, [&](auto* kind) {
    using Element = std::remove_pointer_t<decltype(kind)>;
    const SwigluGradientStep<Element> step{rows_of(a.width, a.input_stride),
                                           elements(a.gate, kind),
                                           elements(a.up, kind),
                                           elements(a.output_gradient, kind),
                                           elements(a.gate_gradient, kind),
                                           elements(a.up_gradient, kind)};
    const bool packed =
        whole_packs<Element>(step.rows) &&
        on_16_bytes(step.gate, step.up, step.upstream, step.gate_gradient, step.up_gradient);
    for_each<Element>(a.rows * a.width, packed, stream, step);
  });
}

}  // namespace quintet::kernels::cuda
