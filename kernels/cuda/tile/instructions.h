// Instructions that C++ has no words for: rounding, tensor cores, asynchronous copies to shared
// memory (sm_80 and later; PTX manual, sections on cvt, mma.m16n8k16, ldmatrix, cp.async). Where
// kernels are compiled for the emulator, tests/kernels/cuda_emulator has their twins.
#pragma once

#include <cstdint>

#include "kernels/types.h"

#ifndef __CUDACC__
#include "emulated_instructions.h"
#else

namespace quintet::kernels::cuda {

// All of a block's dynamic shared memory.
__device__ inline unsigned char* dynamic_shared() {
  extern __shared__ __align__(128) unsigned char memory[];
  return memory;
}

// To nearest, ties to even. The lower half is the first.
__device__ inline std::uint32_t pack_bfloat16(float first, float second) {
  std::uint32_t packed;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(second), "f"(first));
  return packed;
}

__device__ inline std::uint16_t round_to_bfloat16(float value) {
  std::uint16_t bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
}

__device__ inline std::uint16_t round_to_float16(float value) {
  std::uint16_t bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
}

__device__ inline float widen_float16(std::uint16_t bits) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
}

// 2^value within 2 units in the last place; 0 of -infinity.
__device__ inline float power_of_two(float value) {
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(value));
  return power;
}

__device__ inline std::uint32_t shared_address(const void* shared) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
}

// Four (two) 8x8 matrices of 16-bit elements; lane i brings the address of row i % 8 of matrix i /
// 8. Lane l gets elements 2 (l % 4) and the next of row l / 4; transposed: of column l / 4.
__device__ inline void load_matrix_x4(std::uint32_t (&to)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(row))
               : "memory");
}

__device__ inline void load_matrix_x4_transposed(std::uint32_t (&to)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(row))
               : "memory");
}

__device__ inline void load_matrix_x2(std::uint32_t (&to)[2], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(to[0]), "=r"(to[1])
               : "r"(shared_address(row))
               : "memory");
}

__device__ inline void load_matrix_x2_transposed(std::uint32_t (&to)[2], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(to[0]), "=r"(to[1])
               : "r"(shared_address(row))
               : "memory");
}

// sum[16 x 8] += a[16 x 16] b[16 x 8] in bf16, summed in fp32, spread over the warp's lanes. Lane
// l, with g = l / 4 and t = l % 4: a holds rows g, g + 8, g, g + 8 at columns 2t, 2t, 2t + 8, 2t +
// 8 (two each); b rows 2t and 2t + 8 (two each) of column g; sum rows g, g, g + 8, g + 8 at columns
// 2t, 2t + 1, 2t, 2t + 1.
__device__ inline void multiply_add_bfloat16(float (&sum)[4], const std::uint32_t (&a)[4],
                                             const std::uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// 16 bytes that are there once a wait_for_copies() covers their group and the block has met.
__device__ inline void copy_async_16(void* shared, const void* global) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(shared)),
               "l"(global)
               : "memory");
}

// Zeros where there is nothing to read; the address must be a good one all the same.
__device__ inline void copy_async_16_or_zero(void* shared, const void* global, bool there) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(shared)),
               "l"(global), "r"(there ? 16 : 0)
               : "memory");
}

__device__ inline void end_copy_group() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// 4 bytes, or 0 where there is nothing to read.
__device__ inline void copy_async_4_or_zero(void* shared, const void* global, bool there) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared_address(shared)),
               "l"(global), "r"(there ? 4 : 0)
               : "memory");
}

// Until at most this many of the thread's newest groups are under way.
template <int groups_left>
__device__ inline void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(groups_left) : "memory");
}

}  // namespace quintet::kernels::cuda

#endif
