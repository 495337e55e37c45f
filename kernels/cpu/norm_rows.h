// What layer norm and RMS norm share: the residual before them and the gradient past them.
#pragma once

#include "kernels/cpu/memory.h"

namespace quintet::kernels::QUINTET_CPU_TARGET {
namespace {

// x of one row in fp32: the input, or input + residual rounded to the type of the sum and written
// there.
template <class Norm, class Element>
QUINTET_LANES const Element* normalised_row(const Norm& a, Index row, Element* kind) {
  const Element* const input = elements(a.input, kind) + row * a.width;
  if (a.residual.data == nullptr) return input;
  const Element* const residual = elements(a.residual, kind) + row * a.width;
  Element* const sum = elements(a.sum, kind) + row * a.width;
  for_lanes(a.width, [&](Index at, Index left) {
    store(sum + at, load(input + at, left) + load(residual + at, left), left);
  });
  return sum;
}

// What comes past the norm, 0 where nothing does.
template <class Element>
QUINTET_LANES Lanes past_the_norm(const ConstTensor& residual_gradient, Index offset, Index left,
                                  Element* kind) {
  if (residual_gradient.data == nullptr) return Lanes{};
  return load(elements(residual_gradient, kind) + offset, left);
}

}  // namespace
}  // namespace quintet::kernels::QUINTET_CPU_TARGET
