// Sums of what the threads before this one in the block bring, of all of them in the end.
#pragma once

#include "kernels/cuda/tile/block.h"

namespace quintet::kernels::cuda {

struct RunningSum {
  unsigned before = 0;  // of the threads before this one
  unsigned all = 0;
};

// Every thread of a one-dimensional block of so many, whole warps, must come.
template <int threads>
__device__ RunningSum running_sum(unsigned value) {
  static_assert(threads % warp_threads == 0);
  constexpr unsigned warps = threads / warp_threads;
  __shared__ unsigned of_warps[warps];
  const unsigned lane = threadIdx.x % warp_threads, warp = threadIdx.x / warp_threads;
  unsigned up_to = value;
#pragma unroll
  for (unsigned distance = 1; distance < warp_threads; distance *= 2) {
    const unsigned lower = __shfl_up_sync(whole_warp, up_to, distance);
    if (lane >= distance) up_to += lower;
  }
  __syncthreads();  // of_warps may still be read from the last time
  if (lane == warp_threads - 1) of_warps[warp] = up_to;
  __syncthreads();
  RunningSum sum{up_to - value, 0};
#pragma unroll
  for (unsigned each = 0; each < warps; ++each) {
    if (each < warp) sum.before += of_warps[each];
    sum.all += of_warps[each];
  }
  return sum;
}

}  // namespace quintet::kernels::cuda
