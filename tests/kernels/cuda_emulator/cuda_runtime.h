// Stands in for the toolkit's header of this name when kernels are compiled for the emulator: what
// kernels/cuda uses of the language and of the runtime library, no more.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "emulator.h"

// Names and layouts are CUDA's, not ours. NOLINTBEGIN
#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __shared__ static
#define __constant__ static
#define __restrict__
#define __grid_constant__
#define __launch_bounds__(...)
#define threadIdx (::quintet::cuda_emulator::thread_index())
#define blockIdx (::quintet::cuda_emulator::block_index())
#define blockDim (::quintet::cuda_emulator::block_size())
#define gridDim (::quintet::cuda_emulator::grid_size())

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct alignas(8) uint2 {
  unsigned x, y;
};

inline void __syncthreads() {
  ::quintet::cuda_emulator::block_barrier();
}
inline int __syncthreads_or(int predicate) {
  return ::quintet::cuda_emulator::block_any(predicate != 0) ? 1 : 0;
}
inline void __syncwarp(unsigned = 0xFFFFFFFFU) {
  const char nothing = 0;
  ::quintet::cuda_emulator::warp_exchange(&nothing, 1);
}

namespace quintet::cuda_emulator {
template <class Value>
Value from_lane(Value value, unsigned lane_wanted) {
  const std::byte* const all = warp_exchange(&value, sizeof value);
  std::memcpy(&value, all + 64 * (lane_wanted % warp_size), sizeof value);
  return value;
}
}  // namespace quintet::cuda_emulator

template <class Value>
Value __shfl_sync(unsigned, Value value, int lane) {
  return ::quintet::cuda_emulator::from_lane(value, static_cast<unsigned>(lane));
}
template <class Value>
Value __shfl_xor_sync(unsigned, Value value, int mask) {
  return ::quintet::cuda_emulator::from_lane(
      value, ::quintet::cuda_emulator::lane() ^ static_cast<unsigned>(mask));
}
template <class Value>
Value __shfl_down_sync(unsigned, Value value, unsigned by) {
  const unsigned from = ::quintet::cuda_emulator::lane() + by;
  return ::quintet::cuda_emulator::from_lane(value,
                                             from < 32 ? from : ::quintet::cuda_emulator::lane());
}
template <class Value>
Value __shfl_up_sync(unsigned, Value value, unsigned by) {
  const unsigned own = ::quintet::cuda_emulator::lane();
  return ::quintet::cuda_emulator::from_lane(value, own >= by ? own - by : own);
}
inline unsigned __ballot_sync(unsigned, int predicate) {
  const std::byte* const all =
      ::quintet::cuda_emulator::warp_exchange(&predicate, sizeof predicate);
  unsigned bits = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    int one = 0;
    std::memcpy(&one, all + 64 * lane, sizeof one);
    if (one != 0) bits |= 1U << lane;
  }
  return bits;
}
inline int __any_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate) != 0U ? 1 : 0;
}
inline int __popc(unsigned bits) {
  return __builtin_popcount(bits);
}

// Fibres change places only where they wait, so these are atomic.
template <class Value, class Added>
Value atomicAdd(Value* at, Added value) {
  const Value before = *at;
  *at = static_cast<Value>(before + static_cast<Value>(value));
  return before;
}
template <class Value>
Value atomicMax(Value* at, Value value) {
  const Value before = *at;
  *at = std::max(before, value);
  return before;
}
template <class Value>
Value atomicExch(Value* at, Value value) {
  return std::exchange(*at, value);
}
inline void __threadfence() {}

inline float __expf(float x) {
  return std::exp(x);
}
inline float __logf(float x) {
  return std::log(x);
}
inline float __fmul_rn(float x, float y) {
  return x * y;
}
inline float __fadd_rn(float x, float y) {
  return x + y;
}
inline float __fdividef(float x, float y) {
  return x / y;
}
inline float cospif(float x) {
  return static_cast<float>(std::cos(3.14159265358979323846 * static_cast<double>(x)));
}
inline float rsqrtf(float x) {
  return 1.0F / std::sqrt(x);
}
inline unsigned __float_as_uint(float x) {
  unsigned bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
inline float __uint_as_float(unsigned bits) {
  float x = 0;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) * b) >> 32);
}
template <class Value>
Value __ldg(const Value* at) {
  return *at;
}

// The runtime library: device memory is the heap's, poisoned; streams work at once.
enum cudaError_t { cudaSuccess = 0, cudaErrorMemoryAllocation = 2 };
using cudaStream_t = void*;
enum cudaMemcpyKind { cudaMemcpyDefault = 4 };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };

inline const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaSuccess ? "no error" : "out of memory";
}
inline const char* cudaGetErrorName(cudaError_t error) {
  return error == cudaSuccess ? "cudaSuccess" : "cudaErrorMemoryAllocation";
}
inline cudaError_t cudaGetLastError() {
  return cudaSuccess;
}
inline cudaError_t cudaMallocAsync(void** memory, std::size_t bytes, cudaStream_t) {
  *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (*memory == nullptr) return cudaErrorMemoryAllocation;
  std::memset(*memory, 0xFF, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  return cudaMallocAsync(memory, bytes, nullptr);
}
inline cudaError_t cudaFree(void* memory) {
  std::free(memory);
  return cudaSuccess;
}
inline cudaError_t cudaFreeAsync(void* memory, cudaStream_t) {
  return cudaFree(memory);
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                                   cudaStream_t) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t) {
  std::memset(memory, value, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel*, cudaFuncAttribute, int) {
  return cudaSuccess;
}

struct cudaLaunchAttribute;
struct cudaLaunchConfig_t {
  dim3 grid{}, block{};
  std::size_t dynamic_shared_bytes = 0;
  cudaStream_t stream = nullptr;
  cudaLaunchAttribute* attributes = nullptr;
  unsigned attribute_count = 0;
};

template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  const std::tuple<Parameters...> values{static_cast<Parameters>(arguments)...};
  const dim3 &grid = config->grid, &block = config->block;
  ::quintet::cuda_emulator::run(
      {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, config->dynamic_shared_bytes},
      [&] { std::apply(kernel, values); });
  return cudaSuccess;
}
// NOLINTEND
