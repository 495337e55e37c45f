#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/tile/column_sums.h"
#include "kernels/cuda/tile/each.h"
#include "kernels/gemm.h"

namespace quintet::kernels::cuda {

namespace {

template <class Element>
struct AddBiasStep {
  Index columns;
  Element* values;
  const Element* bias;
  template <int width>
  __device__ void operator()(Index at) const {
    float v[width], b[width];
    load_pack(values + at, v);
    load_pack(bias + at % columns, b);
#pragma unroll
    for (int i = 0; i < width; ++i) v[i] += b[i];
    store_pack(values + at, v);
  }
};

template <class Element>
struct GradientSummand {
  Index columns;
  const Element* upstream;
  template <int width>
  __device__ void load(Index row, Index column, float (&sums)[1][width]) const {
    load_pack(upstream + row * columns + column, sums[0]);
  }
};

}  // namespace

void CudaKernels::bias_add(const BiasAdd& a, Stream& stream) {
  with_element(a.values.type, [&](auto* kind) {
    using Element = std::remove_pointer_t<decltype(kind)>;
    const AddBiasStep<Element> step{a.columns, elements(a.values, kind), elements(a.bias, kind)};
    const bool packed = a.columns % pack_size<Element> == 0 && on_16_bytes(step.values, step.bias);
    for_each<Element>(a.rows * a.columns, packed, stream, step);
  });
}

void CudaKernels::bias_gradient(const BiasGradient& a, Stream& stream) {
  with_element(a.output_gradient.type, [&](auto* kind) {
    using Element = std::remove_pointer_t<decltype(kind)>;
    const GradientSummand<Element> summand{a.columns, elements(a.output_gradient, kind)};
    sum_columns<Element, 1>(a.rows, a.columns, on_16_bytes(summand.upstream), summand,
                            {{a.bias_gradient}}, a.write, scratch_, stream);
  });
}

}  // namespace quintet::kernels::cuda
