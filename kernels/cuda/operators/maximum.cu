// The largest magnitude of a tensor: each block finds that of a stretch, one block that of all.
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
    all_kernel(unsigned stretches, const float* partial, float* result) {
  float largest = 0.0F;
  for (unsigned at = threadIdx.x; at < stretches; at += threads)
    largest = Maximum{}(largest, partial[at]);
  largest = block_reduce(largest, Maximum{}, 0.0F);
  if (threadIdx.x == 0) *result = largest;
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
  launch(all_kernel, Shape{dim3(1), dim3(threads)}, stream, stretches, partial, a.result);
}

}  // namespace quintet::kernels::cuda
