#include "kernels/optimizer.h"

#include <cmath>

#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/tile/block.h"
#include "kernels/cuda/tile/parameter_stretch.h"

namespace quintet::kernels::cuda {

namespace {

constexpr int wide = pack_size<float>;

__device__ void count_update(const BeginUpdate& a) {
  UpdateNumbers& numbers = *a.numbers;
  const auto updates = static_cast<double>(++numbers.updates);
  const double first = 1.0 - pow(static_cast<double>(a.beta1), updates);
  const double second = 1.0 - pow(static_cast<double>(a.beta2), updates);
  numbers.first_correction = static_cast<float>(first);
  numbers.root_of_second_correction = static_cast<float>(sqrt(second));
}

__device__ void scale_next_step(const BeginUpdate& a) {
  UpdateNumbers& numbers = *a.numbers;
  if (!numbers.happens) {
    numbers.loss_scale *= a.loss_scale.backoff;
    numbers.steps_since_overflow = 0;
  } else if (++numbers.steps_since_overflow == a.loss_scale.growth_interval) {
    numbers.loss_scale *= a.loss_scale.growth;
    numbers.steps_since_overflow = 0;
  }
}

__global__ void begin_update_kernel(BeginUpdate a) {
  if (threadIdx.x != 0) return;
  UpdateNumbers& numbers = *a.numbers;
  numbers.learning_rate = *a.learning_rate;
  // What is not finite differs from itself by what is no number.
  numbers.happens = a.squared_norm == nullptr || *a.squared_norm - *a.squared_norm == 0;
  numbers.scaled_by = numbers.loss_scale;
  if (numbers.happens) count_update(a);
  if (a.squared_norm != nullptr) scale_next_step(a);
}

struct AdamwStep {
  const float* factor;
  AdamStep adam;

  template <int width, class Element, class Moment>
  __device__ void operator()(const Trained<Element, Moment>& to, Index at) const {
    if (!adam.numbers->happens) return;
    float g[width], p[width];
    to.load_gradient(at, factor, g);
    adam.direction(to, at, g);
    load_pack(to.parameter + at, p);
    const float rate = adam.numbers->learning_rate;
    const float kept = 1.0F - rate * to.weight_decay;
#pragma unroll
    for (int i = 0; i < width; ++i) p[i] = p[i] * kept - rate * g[i];
    to.store_parameter(at, p);
  }
};

struct SgdStep {
  const float* factor;
  SgdMomentum kind;
  float momentum;
  const UpdateNumbers* numbers;

  template <int width, class Element, class Moment>
  __device__ void operator()(const Trained<Element, Moment>& to, Index at) const {
    if (!numbers->happens) return;
    const float rate = numbers->learning_rate;
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

void CudaKernels::begin_update(const BeginUpdate& a, Stream& stream) {
  launch(begin_update_kernel, Shape{dim3(1), dim3(warp_threads)}, stream, a);
}

void CudaKernels::adamw(const Adamw& a, Stream& stream) {
  if (a.stretches.number == 0) return;
  const AdamwStep step{a.gradient_factor, AdamStep::of(a.adam, a.numbers)};
  with_types(a.stretches.items[0], [&](auto* gradients, auto* moments) {
    for_pieces<wide>(dealt(a.stretches, gradients, moments), stream, step);
  });
}

void CudaKernels::sgd(const Sgd& a, Stream& stream) {
  if (a.stretches.number == 0) return;
  const SgdStep step{a.gradient_factor, a.kind, a.momentum, a.numbers};
  with_types(a.stretches.items[0], [&](auto* gradients, auto* moments) {
    for_pieces<wide>(dealt(a.stretches, gradients, moments), stream, step);
  });
}

}  // namespace quintet::kernels::cuda
