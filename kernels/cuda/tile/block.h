// Reductions over a warp and over a block; every thread of it must come, and gets the result. The
// order of the sum is that of a fixed tree.
#pragma once

#include <cuda_runtime.h>

namespace quintet::kernels::cuda {

inline constexpr int warp_threads = 32;
inline constexpr unsigned whole_warp = 0xFFFFFFFFU;

struct Sum {
  template <class Value>
  __device__ Value operator()(Value left, Value right) const {
    return left + right;
  }
};

// NaN wins, so that it is not hidden.
struct Maximum {
  __device__ float operator()(float left, float right) const {
    return left > right || left != left ? left : right;
  }
};

template <class Value, class Operation>
__device__ Value warp_reduce(Value value, Operation operation) {
#pragma unroll
  for (int distance = warp_threads / 2; distance > 0; distance /= 2)
    value = operation(value, __shfl_xor_sync(whole_warp, value, distance));
  return value;
}

// `neutral` changes nothing: 0 of a sum.
template <class Value, class Operation>
__device__ Value block_reduce(Value value, Operation operation, Value neutral) {
  __shared__ Value of_warps[warp_threads];
  const int threads = static_cast<int>(blockDim.x * blockDim.y);
  const int thread = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
  value = warp_reduce(value, operation);
  if (threads == warp_threads) return value;
  __syncthreads();  // of_warps may still be read from the last time
  if (thread % warp_threads == 0) of_warps[thread / warp_threads] = value;
  __syncthreads();
  const int lane = thread % warp_threads;
  value = lane < threads / warp_threads ? of_warps[lane] : neutral;
  return warp_reduce(value, operation);
}

}  // namespace quintet::kernels::cuda
