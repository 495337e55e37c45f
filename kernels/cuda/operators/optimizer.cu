#include "kernels/optimizer.h"

#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/tile/parameter_stretch.h"

namespace quintet::kernels::cuda {

namespace {

constexpr int wide = pack_size<float>;

struct AdamwStep {
  const float* factor;
  AdamStep adam;
  float rate;

  template <int width, class Element, class Moment>
  __device__ void operator()(const Trained<Element, Moment>& to, Index at) const {
    float g[width], p[width];
    to.load_gradient(at, factor, g);
    adam.direction(to, at, g);
    load_pack(to.parameter + at, p);
    const float kept = 1.0F - rate * to.weight_decay;
#pragma unroll
    for (int i = 0; i < width; ++i) p[i] = p[i] * kept - rate * g[i];
    to.store_parameter(at, p);
  }
};

struct SgdStep {
  const float* factor;
  SgdMomentum kind;
  float momentum, rate;

  template <int width, class Element, class Moment>
  __device__ void operator()(const Trained<Element, Moment>& to, Index at) const {
    float g[width], p[width], v[width];
    to.load_gradient(at, factor, g);
    load_pack(to.parameter + at, p);
#pragma unroll
    for (int i = 0; i < width; ++i) g[i] += to.weight_decay * p[i];
    if (to.first_moment != nullptr) {
      load_pack(to.first_moment + at, v);
#pragma unroll
      for (int i = 0; i < width; ++i) {
        v[i] = momentum * v[i] + g[i];
        g[i] = kind == SgdMomentum::nesterov ? g[i] + momentum * v[i] : v[i];
      }
      store_pack(to.first_moment + at, v);
    }
#pragma unroll
    for (int i = 0; i < width; ++i) p[i] -= rate * g[i];
    to.store_parameter(at, p);
  }
};

}  // namespace

void CudaKernels::adamw(const Adamw& a, Stream& stream) {
  if (a.stretches.number == 0) return;
  const AdamwStep step{a.gradient_factor, AdamStep::of(a.adam), a.learning_rate};
  with_types(a.stretches.items[0], [&](auto* gradients, auto* moments) {
    for_pieces<wide>(dealt(a.stretches, gradients, moments), stream, step);
  });
}

void CudaKernels::sgd(const Sgd& a, Stream& stream) {
  if (a.stretches.number == 0) return;
  const SgdStep step{a.gradient_factor, a.kind, a.momentum, a.learning_rate};
  with_types(a.stretches.items[0], [&](auto* gradients, auto* moments) {
    for_pieces<wide>(dealt(a.stretches, gradients, moments), stream, step);
  });
}

}  // namespace quintet::kernels::cuda
