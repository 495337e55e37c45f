#include "kernels/cross_entropy.h"

#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/tile/block.h"
#include "kernels/cuda/tile/element.h"
#include "kernels/cuda/tile/instructions.h"

namespace quintet::kernels::cuda {

namespace {

// One block per row. The whole loss keeps its row in shared memory, where it fits on every GPU
// since sm_80 (99 KiB a block, CUDA's guide, "technical specifications per compute capability")
// beside what reductions need: GPT-2's 50,304 in bf16 do, so that memory is read once and written
// once. Else a row stays in the cache between the passes over it, as far as that goes.
constexpr int threads = 512, threads_of_kept_row = 1024;
constexpr std::size_t kept_row_bytes = std::size_t{98} << 10 | 512;

template <class Element>
struct Rows {
  Index size, stride;
  std::int32_t first;
  const std::int32_t* targets;
  Element* logits;
  bool packed;

  __device__ Element* row() const { return logits + static_cast<Index>(blockIdx.x) * stride; }
  __device__ std::int32_t target() const { return targets[blockIdx.x]; }
  // This is the target's place within this shard, -1 where it is in another one or ignored.
  __device__ Index target_place() const {
    const Index place = Index{target()} - first;
    return target() >= 0 && place >= 0 && place < size ? place : -1;
  }
};

// step(first element, values[width]) over the row as it lies at `row`, packs first where that can
// be. A thread has the same elements every time.
template <class Element, class Step>
__device__ void over_row(const Rows<Element>& rows, const Element* row, Step step) {
  constexpr int wide = pack_size<Element>;
  const Index in_packs = rows.packed ? rows.size / wide * wide : 0, stride = blockDim.x;
  for (Index at = static_cast<Index>(threadIdx.x) * wide; at < in_packs; at += stride * wide) {
    float values[wide];
    load_pack(row + at, values);
    step(at, values);
  }
  for (Index at = in_packs + threadIdx.x; at < rows.size; at += stride) {
    float values[1] = {to_float(row[at])};
    step(at, values);
  }
}

struct TakeMaximum {
  float& largest;
  template <int width>
  __device__ void operator()(Index, const float (&values)[width]) const {
#pragma unroll
    for (int i = 0; i < width; ++i) largest = Maximum{}(values[i], largest);
  }
};

template <class Element>
__device__ float maximum_of(const Rows<Element>& rows) {
  const float lowest = -INFINITY;
  float largest = lowest;
  over_row(rows, rows.row(), TakeMaximum{largest});
  return block_reduce(largest, Maximum{}, lowest);
}

template <class Element>
struct KeepAndTakeMaximum {
  Element* kept;
  float& largest;
  template <int width>
  __device__ void operator()(Index at, const float (&values)[width]) const {
    store_pack(kept + at, values);
    TakeMaximum{largest}(at, values);
  }
};

// Rounded to a multiple of 2^-32, so that any order of the sum is exact (kernels/cross_entropy.h):
// 2^20 + 2^19 has that spacing.
__device__ double rounded_power(float x) {
  return (static_cast<double>(expf(x)) + 1572864.0) - 1572864.0;
}

struct TakeSum {
  float maximum;
  double& sum;
  template <int width>
  __device__ void operator()(Index, const float (&values)[width]) const {
#pragma unroll
    for (int i = 0; i < width; ++i) sum += rounded_power(values[i] - maximum);
  }
};

template <class Element>
__device__ double sum_of(const Rows<Element>& rows, const Element* row, float maximum) {
  double sum = 0.0;
  over_row(rows, row, TakeSum{maximum, sum});
  return block_reduce(sum, Sum{}, 0.0);
}

template <class Element>
struct WriteGradient {
  Element* row;
  Index target;
  float maximum, inverse, scale;
  template <int width>
  __device__ void operator()(Index at, float (&values)[width]) const {
#pragma unroll
    for (int i = 0; i < width; ++i) {
      const float own = at + i == target ? 1.0F : 0.0F;
      values[i] = (expf(values[i] - maximum) * inverse - own) * scale;
    }
    store_pack(row + at, values);
  }
};

// Before the logits are written over by write_gradient().
template <class Element>
__device__ float target_logit(const Rows<Element>& rows) {
  const Index place = rows.target_place();
  return place < 0 ? 0.0F : to_float(rows.row()[place]);
}

// What the gradient of every row is multiplied with.
struct GradientScale {
  float scale;
  const double* loss_scale;

  __device__ float value() const {
    return loss_scale == nullptr ? scale : scale * static_cast<float>(*loss_scale);
  }
};

template <class Element>
__device__ void write_gradient(const Rows<Element>& rows, const Element* row, float maximum,
                               double sum, const GradientScale& scale) {
  const float of_row = rows.target() < 0 ? 0.0F : scale.value();
  over_row(rows, row,
           WriteGradient<Element>{rows.row(), rows.target_place(), maximum,
                                  static_cast<float>(1.0 / sum), of_row});
}

__device__ float loss_of(bool ignored, float maximum, double sum, float target) {
  if (ignored) return 0.0F;
  return static_cast<float>(log(sum) +
                            (static_cast<double>(maximum) - static_cast<double>(target)));
}

template <class Element>
__global__ void __launch_bounds__(threads) maximum_kernel(Rows<Element> rows, float* maximum) {
  const float found = maximum_of(rows);
  if (threadIdx.x == 0) maximum[blockIdx.x] = found;
}

template <class Element>
__global__ void __launch_bounds__(threads)
    sum_kernel(Rows<Element> rows, const float* maximum, double* sum, float* target) {
  const double found = sum_of(rows, rows.row(), maximum[blockIdx.x]);
  if (threadIdx.x != 0) return;
  sum[blockIdx.x] = found;
  target[blockIdx.x] = target_logit(rows);
}

template <class Element>
__global__ void __launch_bounds__(threads)
    gradient_kernel(Rows<Element> rows, const float* maximum, const double* sum,
                    const float* target, GradientScale scale, float* loss) {
  const Index row = blockIdx.x;
  write_gradient(rows, rows.row(), maximum[row], sum[row], scale);
  if (threadIdx.x == 0) loss[row] = loss_of(rows.target() < 0, maximum[row], sum[row], target[row]);
}

template <class Element>
__global__ void __launch_bounds__(threads)
    whole_kernel(Rows<Element> rows, GradientScale scale, float* loss) {
  const float target = target_logit(rows);
  const float maximum = maximum_of(rows);  // its barrier also keeps writes behind that read
  const double sum = sum_of(rows, rows.row(), maximum);
  write_gradient(rows, rows.row(), maximum, sum, scale);
  if (threadIdx.x == 0) loss[blockIdx.x] = loss_of(rows.target() < 0, maximum, sum, target);
}

template <class Element>
__global__ void __launch_bounds__(threads_of_kept_row)
    kept_row_kernel(Rows<Element> rows, GradientScale scale, float* loss) {
  auto* const kept = reinterpret_cast<Element*>(dynamic_shared());
  const float lowest = -INFINITY, target = target_logit(rows);
  float largest = lowest;
  over_row(rows, rows.row(), KeepAndTakeMaximum<Element>{kept, largest});
  const float maximum = block_reduce(largest, Maximum{}, lowest);
  const double sum = sum_of(rows, kept, maximum);
  write_gradient(rows, kept, maximum, sum, scale);
  if (threadIdx.x == 0) loss[blockIdx.x] = loss_of(rows.target() < 0, maximum, sum, target);
}

template <class Element>
Rows<Element> rows_of(const CrossEntropyRows& a, Element* kind) {
  const Index stride = a.stride == 0 ? a.shard_size : a.stride;
  Element* const logits = elements(a.logits, kind);
  const bool packed = stride % pack_size<Element> == 0 && on_16_bytes(logits);
  return {a.shard_size, stride, a.shard_first, a.targets, logits, packed};
}

Shape block_per_row(const CrossEntropyRows& rows) {
  return {dim3(static_cast<unsigned>(rows.rows)), dim3(threads)};
}

}  // namespace

void CudaKernels::cross_entropy_maximum(const CrossEntropyMaximum& a, Stream& stream) {
  if (a.rows.rows == 0) return;
  with_element(a.rows.logits.type, [&](auto* kind) {
    using Element = std::remove_pointer_t<decltype(kind)>;
    launch(maximum_kernel<Element>, block_per_row(a.rows), stream, rows_of(a.rows, kind),
           a.maximum);
  });
}

void CudaKernels::cross_entropy_sum(const CrossEntropySum& a, Stream& stream) {
  if (a.rows.rows == 0) return;
  with_element(a.rows.logits.type, [&](auto* kind) {
    using Element = std::remove_pointer_t<decltype(kind)>;
    launch(sum_kernel<Element>, block_per_row(a.rows), stream, rows_of(a.rows, kind), a.maximum,
           a.sum, a.target_logit);
  });
}

void CudaKernels::cross_entropy_gradient(const CrossEntropyGradient& a, Stream& stream) {
  if (a.rows.rows == 0) return;
  with_element(a.rows.logits.type, [&](auto* kind) {
    using Element = std::remove_pointer_t<decltype(kind)>;
    launch(gradient_kernel<Element>, block_per_row(a.rows), stream, rows_of(a.rows, kind),
           a.maximum, a.sum, a.target_logit, GradientScale{a.gradient_scale, a.loss_scale}, a.loss);
  });
}

void CudaKernels::cross_entropy(const CrossEntropy& a, Stream& stream) {
  if (a.rows.rows == 0) return;
  with_element(a.rows.logits.type, [&](auto* kind) {
    using Element = std::remove_pointer_t<decltype(kind)>;
    const GradientScale scale{a.gradient_scale, a.loss_scale};
    const std::size_t bytes = static_cast<std::size_t>(a.rows.shard_size) * sizeof(Element);
    const Shape kept{block_per_row(a.rows).grid, dim3(threads_of_kept_row), bytes};
    if (bytes <= kept_row_bytes)
      launch(kept_row_kernel<Element>, kept, stream, rows_of(a.rows, kind), scale, a.loss);
    else
      launch(whole_kernel<Element>, block_per_row(a.rows), stream, rows_of(a.rows, kind), scale,
             a.loss);
  });
}

}  // namespace quintet::kernels::cuda
