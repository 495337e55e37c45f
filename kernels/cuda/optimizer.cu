#include "kernels/optimizer.h"

#include <cmath>

#include "kernels/cuda/block.h"
#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/each.h"

namespace quintet::kernels::cuda {

namespace {

// What the first steps' moments are divided by.
struct Corrections {
  float first;
  float root_of_second;
};

Corrections corrections(const AdamMoments& moments) {
  const auto step = static_cast<double>(moments.step);
  return {static_cast<float>(1.0 - std::pow(static_cast<double>(moments.beta1), step)),
          static_cast<float>(std::sqrt(1.0 - std::pow(static_cast<double>(moments.beta2), step)))};
}

// A gradient of either type and the parameter's bf16 copy, where there is one.
template <class Element>
struct Stretch {
  float* parameter;
  const Element* gradient;
  const float* factor;
  Bfloat16* copy;

  template <int width>
  __device__ void load_gradient(Index at, float (&g)[width]) const {
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
  bool packed() const {
    return on_16_bytes(parameter, gradient, copy);
  }
};

template <class Element>
Stretch<Element> stretch_of(const ParameterStretch& a, Element* kind) {
  assert(a.working_copy.data == nullptr || a.working_copy.type == ElementType::bf16);
  return {a.parameter, elements(a.gradient, kind), a.gradient_factor,
          static_cast<Bfloat16*>(a.working_copy.data)};
}

struct Adam {
  AdamMoments m;
  Corrections corrected;

  // `g` becomes corrected first / (sqrt(corrected second) + epsilon).
  template <int width>
  __device__ void direction(Index at, float (&g)[width]) const {
    float first[width], second[width];
    load_pack(m.first + at, first);
    load_pack(m.second + at, second);
#pragma unroll
    for (int i = 0; i < width; ++i) {
      first[i] = first[i] * m.beta1 + (1.0F - m.beta1) * g[i];
      second[i] = second[i] * m.beta2 + (1.0F - m.beta2) * g[i] * g[i];
      g[i] = first[i] / corrected.first / (sqrtf(second[i]) / corrected.root_of_second + m.epsilon);
    }
    store_pack(m.first + at, first);
    store_pack(m.second + at, second);
  }
  bool packed() const {
    return on_16_bytes(m.first, m.second);
  }
};

template <class Element>
struct AdamwStep {
  Stretch<Element> stretch;
  Adam adam;
  float rate, kept;
  template <int width>
  __device__ void operator()(Index at) const {
    float g[width], p[width];
    stretch.load_gradient(at, g);
    adam.direction(at, g);
    load_pack(stretch.parameter + at, p);
#pragma unroll
    for (int i = 0; i < width; ++i) p[i] = p[i] * kept - rate * g[i];
    stretch.store_parameter(at, p);
  }
};

template <class Element>
struct SgdStep {
  Stretch<Element> stretch;
  float* velocity;
  SgdMomentum kind;
  float momentum, rate, decay;
  template <int width>
  __device__ void operator()(Index at) const {
    float g[width], p[width], v[width];
    stretch.load_gradient(at, g);
    load_pack(stretch.parameter + at, p);
#pragma unroll
    for (int i = 0; i < width; ++i) g[i] += decay * p[i];
    if (velocity != nullptr) {
      load_pack(velocity + at, v);
#pragma unroll
      for (int i = 0; i < width; ++i) {
        v[i] = momentum * v[i] + g[i];
        g[i] = kind == SgdMomentum::nesterov ? g[i] + momentum * v[i] : v[i];
      }
      store_pack(velocity + at, v);
    }
#pragma unroll
    for (int i = 0; i < width; ++i) p[i] -= rate * g[i];
    stretch.store_parameter(at, p);
  }
};

struct LambUpdateStep {
  float* parameter;
  Bfloat16* copy;
  const float* direction;
  const double* squared_parameter_norm;
  const double* squared_direction_norm;
  float learning_rate;
  template <int width>
  __device__ void operator()(Index at) const {
    const double of_parameter = *squared_parameter_norm, of_direction = *squared_direction_norm;
    const bool has_ratio = of_parameter > 0.0 && of_direction > 0.0;
    const double ratio = has_ratio ? sqrt(of_parameter / of_direction) : 1.0;
    const auto rate = static_cast<float>(static_cast<double>(learning_rate) * ratio);
    float p[width], d[width];
    load_pack(parameter + at, p);
    load_pack(direction + at, d);
#pragma unroll
    for (int i = 0; i < width; ++i) p[i] -= rate * d[i];
    store_pack(parameter + at, p);
    if (copy != nullptr) store_pack(copy + at, p);
  }
};

// Sums of squares: each block adds up a stretch whose size does not depend on the machine, one
// block adds up the blocks, so the order is fixed.
constexpr int sum_threads = 256;
constexpr Index elements_per_block = 16384;
using Add = Sum;

// squares.operator()<width>(at, sums[n]) adds to them.
template <int n, int width, class Squares>
__global__ void __launch_bounds__(sum_threads)
    squares_kernel(Index count, Squares squares, double* partial) {
  const Index first = static_cast<Index>(blockIdx.x) * elements_per_block;
  const Index end = first + elements_per_block < count ? first + elements_per_block : count;
  double sums[n] = {};
  for (Index at = first + static_cast<Index>(threadIdx.x) * width; at < end;
       at += sum_threads * width)
    squares.template operator()<width>(at, sums);
#pragma unroll
  for (int i = 0; i < n; ++i) {
    const double sum = block_reduce(sums[i], Add{}, 0.0);
    if (threadIdx.x == 0) partial[static_cast<Index>(blockIdx.x) * n + i] = sum;
  }
}

template <int n>
struct Results {
  double* to[n];
};

template <int n>
__global__ void __launch_bounds__(sum_threads)
    add_blocks_kernel(Index blocks, const double* partial, Results<n> result, bool accumulate) {
#pragma unroll
  for (int i = 0; i < n; ++i) {
    double sum = 0.0;
    for (Index block = threadIdx.x; block < blocks; block += sum_threads)
      sum += partial[block * n + i];
    sum = block_reduce(sum, Add{}, 0.0);
    if (threadIdx.x == 0) *result.to[i] = accumulate ? *result.to[i] + sum : sum;
  }
}

template <int n, int wide, class Squares>
void sum_squares(Index count, bool packed, const Squares& squares, const Results<n>& result,
                 bool accumulate, Scratch& scratch, const Stream& stream) {
  const unsigned blocks = blocks_for(count, elements_per_block);
  double* const partial = scratch.doubles(static_cast<Index>(blocks) * n, stream);
  const Shape shape{dim3(blocks), dim3(sum_threads)};
  if (count > 0 && packed && count % wide == 0)
    launch(squares_kernel<n, wide, Squares>, shape, stream, count, squares, partial);
  else if (count > 0)
    launch(squares_kernel<n, 1, Squares>, shape, stream, count, squares, partial);
  launch(add_blocks_kernel<n>, Shape{dim3(1), dim3(sum_threads)}, stream, blocks, partial, result,
         accumulate);
}

template <int width>
__device__ void add_squares(const float (&values)[width], double& sum) {
#pragma unroll
  for (int i = 0; i < width; ++i)
    sum += static_cast<double>(values[i]) * static_cast<double>(values[i]);
}

template <class Element>
struct SquaresOf {
  const Element* values;
  template <int width>
  __device__ void operator()(Index at, double (&sums)[1]) const {
    float v[width];
    load_pack(values + at, v);
    add_squares(v, sums[0]);
  }
};

template <class Element>
struct LambDirectionStep {
  Stretch<Element> stretch;
  Adam adam;
  float decay;
  float* direction;
  template <int width>
  __device__ void operator()(Index at, double (&sums)[2]) const {
    float g[width], p[width];
    stretch.load_gradient(at, g);
    adam.direction(at, g);
    load_pack(stretch.parameter + at, p);
#pragma unroll
    for (int i = 0; i < width; ++i) g[i] += decay * p[i];
    store_pack(direction + at, g);
    add_squares(p, sums[0]);
    add_squares(g, sums[1]);
  }
};

__global__ void clip_kernel(ClipFactor a) {
  const double scale = static_cast<double>(a.scale);
  const double norm = sqrt(*a.squared_norm) * scale;
  const double clip = static_cast<double>(a.maximum_norm) / (norm + 1e-6);
  if (threadIdx.x == 0) *a.factor = static_cast<float>((clip < 1.0 ? clip : 1.0) * scale);
}

}  // namespace

void CudaKernels::adamw(const Adamw& a, Stream& stream) {
  with_element(a.stretch.gradient.type, [&](auto* kind) {
    const AdamwStep<std::remove_pointer_t<decltype(kind)>> step{
        stretch_of(a.stretch, kind),
        {a.moments, corrections(a.moments)},
        a.learning_rate,
        1.0F - a.learning_rate * a.weight_decay};
    for_each<float>(a.stretch.count, step.stretch.packed() && step.adam.packed(), stream, step);
  });
}

void CudaKernels::lamb_direction(const LambDirection& a, Stream& stream) {
  with_element(a.stretch.gradient.type, [&](auto* kind) {
    const LambDirectionStep<std::remove_pointer_t<decltype(kind)>> step{
        stretch_of(a.stretch, kind),
        {a.moments, corrections(a.moments)},
        a.weight_decay,
        a.direction};
    const bool packed = step.stretch.packed() && step.adam.packed() && on_16_bytes(a.direction);
    sum_squares<2, 4>(a.stretch.count, packed, step,
                      {{a.squared_parameter_norm, a.squared_direction_norm}}, false, scratch_,
                      stream);
  });
}

void CudaKernels::lamb_step(const LambStep& a, Stream& stream) {
  assert(a.working_copy.data == nullptr || a.working_copy.type == ElementType::bf16);
  const LambUpdateStep step{a.parameter,
                            static_cast<Bfloat16*>(a.working_copy.data),
                            a.direction,
                            a.squared_parameter_norm,
                            a.squared_direction_norm,
                            a.learning_rate};
  for_each<float>(a.count, on_16_bytes(step.parameter, step.copy, step.direction), stream, step);
}

void CudaKernels::sgd(const Sgd& a, Stream& stream) {
  with_element(a.stretch.gradient.type, [&](auto* kind) {
    const SgdStep<std::remove_pointer_t<decltype(kind)>> step{stretch_of(a.stretch, kind),
                                                              a.velocity,
                                                              a.kind,
                                                              a.momentum,
                                                              a.learning_rate,
                                                              a.weight_decay};
    for_each<float>(a.stretch.count, step.stretch.packed() && on_16_bytes(a.velocity), stream,
                    step);
  });
}

void CudaKernels::squared_norm(const SquaredNorm& a, Stream& stream) {
  with_element(a.values.type, [&](auto* kind) {
    using Element = std::remove_pointer_t<decltype(kind)>;
    const SquaresOf<Element> squares{elements(a.values, kind)};
    sum_squares<1, pack_size<Element>>(a.count, on_16_bytes(squares.values), squares, {{a.result}},
                                       a.write == GradientWrite::accumulate, scratch_, stream);
  });
}

void CudaKernels::clip_factor(const ClipFactor& a, Stream& stream) {
  launch(clip_kernel, Shape{dim3(1), dim3(warp_threads)}, stream, a);
}

}  // namespace quintet::kernels::cuda
