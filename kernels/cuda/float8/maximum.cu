// The largest magnitude of a tensor: each block finds that of a stretch, one block that of all. And
// what is kept of such over steps.
#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/tile/block.h"
#include "kernels/cuda/tile/element.h"

namespace quintet::kernels::cuda {

namespace {

constexpr int threads = 256;
constexpr Index elements_per_block = 16384;

template <class Element, int width>
__global__ void __launch_bounds__(threads)
    stretch_kernel(Index count, const Element* values, float* partial) {
  const Index first = static_cast<Index>(blockIdx.x) * elements_per_block;
  const Index end = first + elements_per_block < count ? first + elements_per_block : count;
  float largest = 0.0F;
  for (Index at = first + static_cast<Index>(threadIdx.x) * width; at < end;
       at += threads * width) {
    float v[width];
    load_pack(values + at, v);
#pragma unroll
    for (int i = 0; i < width; ++i) largest = Maximum{}(largest, fabsf(v[i]));
  }
  largest = block_reduce(largest, Maximum{}, 0.0F);
  if (threadIdx.x == 0) partial[blockIdx.x] = largest;
}

__global__ void __launch_bounds__(threads)
    all_kernel(unsigned stretches, const float* partial, AbsoluteMaximum a) {
  float largest = 0.0F;
  for (unsigned at = threadIdx.x; at < stretches; at += threads)
    largest = Maximum{}(largest, partial[at]);
  largest = block_reduce(largest, Maximum{}, 0.0F);
  if (threadIdx.x != 0) return;
  // Bits of what is 0 or more, or NaN, are ordered as the numbers are. Streams may meet here.
  if (a.observed != nullptr)
    atomicMax(reinterpret_cast<unsigned*>(a.observed), __float_as_uint(largest));
  *a.result = a.delayed != nullptr && *a.delayed > 0.0F ? *a.delayed : largest;
}

// A block per tensor.
__global__ void __launch_bounds__(threads) roll_kernel(RollMaxima a) {
  const Index tensor = blockIdx.x;
  float* const history = a.history + tensor * a.length;
  const float seen = a.observed[tensor];
  const float kept = seen - seen == 0.0F ? seen : 0.0F;
  float largest = 0.0F;
  for (Index at = threadIdx.x; at < a.length; at += threads)
    largest = Maximum{}(largest, at == a.slot ? kept : history[at]);
  largest = block_reduce(largest, Maximum{}, 0.0F);  // all have read
  if (threadIdx.x != 0) return;
  history[a.slot] = kept;
  a.maxima[tensor] = a.factor * largest;
  a.observed[tensor] = 0.0F;
}

}  // namespace

void CudaKernels::absolute_maximum(const AbsoluteMaximum& a, Stream& stream) {
  const unsigned stretches = blocks_for(a.count, elements_per_block);
  float* const partial = scratch_.floats(stretches, stream);
  with_element(a.values.type, [&](auto* kind) {
    using Element = std::remove_pointer_t<decltype(kind)>;
    constexpr int wide = pack_size<Element>;
    const Element* const values = elements(a.values, kind);
    const Shape shape{dim3(stretches), dim3(threads)};
    if (stretches > 0 && a.count % wide == 0 && on_16_bytes(values))
      launch(stretch_kernel<Element, wide>, shape, stream, a.count, values, partial);
    else if (stretches > 0)
      launch(stretch_kernel<Element, 1>, shape, stream, a.count, values, partial);
  });
  launch(all_kernel, Shape{dim3(1), dim3(threads)}, stream, stretches, partial, a);
}

void CudaKernels::roll_maxima(const RollMaxima& a, Stream& stream) {
  if (a.tensors == 0) return;
  launch(roll_kernel, Shape{dim3(static_cast<unsigned>(a.tensors)), dim3(threads)}, stream, a);
}

}  // namespace quintet::kernels::cuda
