// A block of threads per chunk. The largest are found by sorting the chunk's keys in shared memory
// (bitonic, https://doi.org/10.1145/1468075.1468121).
#include "kernels/cosine.h"
#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/tile/element.h"

namespace quintet::kernels::cuda {

namespace {

constexpr int threads = 256;
constexpr int largest_chunk = static_cast<int>(longest_chunk * longest_chunk);
using Key = unsigned long long;

// Magnitude, then the first position: all keys differ, so their order is the same on every machine.
__device__ Key key_of(float value, unsigned position) {
  return static_cast<Key>(__float_as_uint(value) & 0x7FFFFFFFU) << 32 | (0xFFFFFFFFU - position);
}

// Largest first; `count` is a power of two.
__device__ void sort(Key* keys, int count) {
  for (int size = 2; size <= count; size *= 2)
    for (int distance = size / 2; distance > 0; distance /= 2) {
      for (int at = static_cast<int>(threadIdx.x); at < count / 2; at += threads) {
        const int low = at / distance * 2 * distance + at % distance, high = low + distance;
        const bool falling = (low & size) == 0;
        const Key first = keys[low], second = keys[high];
        if ((first < second) == falling) {
          keys[low] = second;
          keys[high] = first;
        }
      }
      __syncthreads();
    }
}

__global__ void __launch_bounds__(threads) largest_kernel(LargestCoefficients a, int sorted) {
  __shared__ Key keys[largest_chunk];
  const float* const from = a.coefficients + static_cast<Index>(blockIdx.x) * a.chunk_size;
  for (int at = static_cast<int>(threadIdx.x); at < sorted; at += threads)
    keys[at] = at < a.chunk_size ? key_of(from[at], static_cast<unsigned>(at)) : 0;
  __syncthreads();
  sort(keys, sorted);
  for (Index kept = threadIdx.x; kept < a.kept; kept += threads) {
    const unsigned position = 0xFFFFFFFFU - static_cast<unsigned>(keys[kept]);
    const Index to = static_cast<Index>(blockIdx.x) * a.kept + kept;
    a.positions[to] = static_cast<std::int32_t>(position);
    a.values[to] = from[position];
  }
}

// Sender after sender, so that sums have one order; a sender's positions differ.
__global__ void __launch_bounds__(threads) mean_kernel(MeanOfCoefficients a) {
  __shared__ float sum[largest_chunk];
  __shared__ int sent[largest_chunk];
  for (Index at = threadIdx.x; at < a.chunk_size; at += threads) {
    sum[at] = 0.0F;
    sent[at] = 0;
  }
  for (Index sender = 0; sender < a.senders; ++sender) {
    __syncthreads();
    const Index from = (sender * a.chunks + blockIdx.x) * a.kept;
    for (Index kept = threadIdx.x; kept < a.kept; kept += threads) {
      const std::int32_t position = a.positions[from + kept];
      sum[position] += a.values[from + kept];
      ++sent[position];
    }
  }
  __syncthreads();
  float* const to = a.coefficients + static_cast<Index>(blockIdx.x) * a.chunk_size;
  for (Index at = threadIdx.x; at < a.chunk_size; at += threads)
    to[at] = sent[at] > 1 ? sum[at] / static_cast<float>(sent[at]) : sum[at];
}

}  // namespace

void CudaKernels::largest_coefficients(const LargestCoefficients& a, Stream& stream) {
  assert(a.kept <= a.chunk_size && a.chunk_size <= largest_chunk);
  if (a.chunks == 0 || a.kept == 0) return;
  int sorted = 1;
  while (sorted < a.chunk_size) sorted *= 2;
  launch(largest_kernel, Shape{dim3(static_cast<unsigned>(a.chunks)), dim3(threads)}, stream, a,
         sorted);
}

void CudaKernels::mean_of_coefficients(const MeanOfCoefficients& a, Stream& stream) {
  assert(a.chunk_size <= largest_chunk);
  if (a.chunks == 0) return;
  launch(mean_kernel, Shape{dim3(static_cast<unsigned>(a.chunks)), dim3(threads)}, stream, a);
}

}  // namespace quintet::kernels::cuda
