// What the optimizers do to a stretch of parameters, for device code: a gradient of either type,
// Adam's moments, the parameter with its copy in bf16, where there is one.
#pragma once

#include "kernels/cuda/tile/dealt.h"
#include "kernels/optimizer.h"

namespace quintet::kernels::cuda {

template <class Element>
struct Trained {
  Index count;
  bool packed;
  float* parameter;
  const Element* gradient;
  float* first_moment;
  float* second_moment;
  Bfloat16* copy;
  float weight_decay;

  template <int width>
  __device__ void load_gradient(Index at, const float* factor, float (&g)[width]) const {
    load_pack(gradient + at, g);
    if (factor == nullptr) return;
    const float by = *factor;
#pragma unroll
    for (int i = 0; i < width; ++i) g[i] *= by;
  }
  template <int width>
  __device__ void store_parameter(Index at, const float (&p)[width]) const {
    store_pack(parameter + at, p);
    if (copy != nullptr) store_pack(copy + at, p);
  }
};

template <class Element>
Trained<Element> trained(const ParameterStretch& a, Element* kind) {
  assert(a.working_copy.data == nullptr || a.working_copy.type == ElementType::bf16);
  const Element* const gradient = elements(a.gradient, kind);
  auto* const copy = static_cast<Bfloat16*>(a.working_copy.data);
  return {a.count,        on_16_bytes(a.parameter, gradient, a.first_moment, a.second_moment, copy),
          a.parameter,    gradient,
          a.first_moment, a.second_moment,
          copy,           a.weight_decay};
}

template <class Element>
Dealt<Trained<Element>> dealt(const List<ParameterStretch>& stretches, Element* kind) {
  Dealt<Trained<Element>> made;
  for (const ParameterStretch& stretch : stretches) made.add(trained(stretch, kind));
  return made;
}

// Numbers that all elements share.
struct AdamStep {
  float beta1, beta2, epsilon;
  const UpdateNumbers* numbers;

  static AdamStep of(const AdamConstants& constants, const UpdateNumbers* numbers) {
    return {constants.beta1, constants.beta2, constants.epsilon, numbers};
  }

  // `g` becomes corrected first / (sqrt(corrected second) + epsilon).
  template <int width, class Element>
  __device__ void direction(const Trained<Element>& to, Index at, float (&g)[width]) const {
    const float first_correction = numbers->first_correction;
    const float root_of_second_correction = numbers->root_of_second_correction;
    float first[width], second[width];
    load_pack(to.first_moment + at, first);
    load_pack(to.second_moment + at, second);
#pragma unroll
    for (int i = 0; i < width; ++i) {
      first[i] = first[i] * beta1 + (1.0F - beta1) * g[i];
      second[i] = second[i] * beta2 + (1.0F - beta2) * g[i] * g[i];
      g[i] = first[i] / first_correction / (sqrtf(second[i]) / root_of_second_correction + epsilon);
    }
    store_pack(to.first_moment + at, first);
    store_pack(to.second_moment + at, second);
  }
};

}  // namespace quintet::kernels::cuda
