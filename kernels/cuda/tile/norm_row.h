// What a norm reads: a row of its input, or of input + residual, which is then written too.
#pragma once

#include "kernels/cuda/tile/row.h"

namespace quintet::kernels::cuda {

template <class Element>
struct NormInput {
  const Element* input;
  const Element* residual;  // optional
  Element* sum;             // with a residual

  // `from`: the row's first element in the input; `flat`: in residual and sum. The sum is rounded
  // first, so that the backward pass sees the x that was normalised.
  template <class OfRow>
  __device__ void load(OfRow& x, Index from, Index flat, Index columns) const {
    x.load(input + from, columns);
    if (residual == nullptr) return;
    OfRow other;
    other.load(residual + flat, columns);
    OfRow::each(columns, [&](int pack, Index) {
#pragma unroll
      for (int i = 0; i < OfRow::pack_width; ++i) x.values[pack][i] += other.values[pack][i];
    });
    x.round(static_cast<const Element*>(nullptr));
    x.store(sum + flat, columns);
  }

  // What a load has loaded, once more.
  template <class OfRow>
  __device__ void load_again(OfRow& x, Index from, Index flat, Index columns) const {
    x.load(residual == nullptr ? input + from : sum + flat, columns);
  }

  bool on_16_bytes() const {
    return cuda::on_16_bytes(input, residual, sum);
  }
};

template <class Arguments, class Element>
NormInput<Element> norm_input(const Arguments& a, Element* kind) {
  return {elements(a.input, kind), elements(a.residual, kind), elements(a.sum, kind)};
}

}  // namespace quintet::kernels::cuda
