// What the optimizers do to a stretch of parameters, for device code: a gradient of either type,
// Adam's moments likewise, the parameter with its copy in bf16, where there is one.
#pragma once

#include "kernels/cuda/tile/dealt.h"
#include "kernels/optimizer.h"

namespace quintet::kernels::cuda {

template <class Element, class Moment>
struct Trained {
  Index count;
  bool packed;
  float* parameter;
  const Element* gradient;
  Moment* first_moment;
  Moment* second_moment;
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

template <class Element, class Moment>
Trained<Element, Moment> trained(const ParameterStretch& a, Element* gradients, Moment* moments) {
  assert(a.working_copy.data == nullptr || a.working_copy.type == ElementType::bf16);
  const Element* const gradient = elements(a.gradient, gradients);
  Moment* const first = elements(a.first_moment, moments);
  Moment* const second = elements(a.second_moment, moments);
  auto* const copy = static_cast<Bfloat16*>(a.working_copy.data);
  return {a.count,     on_16_bytes(a.parameter, gradient, first, second, copy),
          a.parameter, gradient,
          first,       second,
          copy,        a.weight_decay};
}

template <class Element, class Moment>
Dealt<Trained<Element, Moment>> dealt(const List<ParameterStretch>& stretches, Element* gradients,
                                      Moment* moments) {
  Dealt<Trained<Element, Moment>> made;
  for (const ParameterStretch& stretch : stretches) made.add(trained(stretch, gradients, moments));
  return made;
}

// work(Element*, Moment*) with the types of a list's gradients and moments; without moments fp32.
template <class Work>
void with_types(const ParameterStretch& first, Work work) {
  with_element(first.gradient.type, [&](auto* gradients) {
    with_element(first.first_moment.type, [&](auto* moments) { work(gradients, moments); });
  });
}

// Numbers that all elements share.
struct AdamStep {
  float beta1, beta2, epsilon;
  const UpdateNumbers* numbers;

  static AdamStep of(const AdamConstants& constants, const UpdateNumbers* numbers) {
    return {constants.beta1, constants.beta2, constants.epsilon, numbers};
  }

  // `g` becomes corrected first / (sqrt(corrected second) + epsilon).
  template <int width, class Element, class Moment>
  __device__ void direction(const Trained<Element, Moment>& to, Index at, float (&g)[width]) const {
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
