#include "kernels/cuda/attention/attention_statistics.h"

#include "kernels/cuda/tile/each.h"

namespace quintet::kernels::cuda {

namespace {

struct Swap {
  const float* from;
  float* to;
  Index first, second, length;

  template <int width>
  __device__ void operator()(Index at) const {
#pragma unroll
    for (int i = 0; i < width; ++i) {
      const Index row = (at + i) / length;
      to[(row % second * first + row / second) * length + (at + i) % length] = from[at + i];
    }
  }
};

}  // namespace

void swap_axes(const float* from, float* to, Index first, Index second, Index length,
               const Stream& stream) {
  for_each<float>(first * second * length, false, stream, Swap{from, to, first, second, length});
}

}  // namespace quintet::kernels::cuda
