// The tensor-core and asynchronous-copy instructions of kernels/cuda/tile/instructions.h, by the
// fragment layouts of the PTX manual (sections on mma.m16n8k16, ldmatrix and cp.async).
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "emulator.h"

namespace quintet::kernels::cuda {

namespace emulated {

using cuda_emulator::warp_exchange;

inline constexpr std::size_t slot_bytes = 64;

template <class Value>
std::array<Value, 32> of_all_lanes(const Value& mine) {
  static_assert(sizeof(Value) <= slot_bytes);
  const std::byte* const all = warp_exchange(&mine, sizeof mine);
  std::array<Value, 32> values;
  for (std::size_t lane = 0; lane < 32; ++lane)
    std::memcpy(&values[lane], all + slot_bytes * lane, sizeof(Value));
  return values;
}

inline float bfloat16_half(std::uint32_t pair, std::size_t which) {
  const std::uint32_t bits = (which == 0 ? pair & 0xFFFFU : pair >> 16) << 16;
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// Row `row` of the 8x8 matrix `matrix`, whose address lane 8 * matrix + row brought.
inline void load_matrices(std::uint32_t* to, std::size_t count, const void* row, bool transposed) {
  const auto rows = of_all_lanes(row);
  const std::size_t lane = cuda_emulator::lane();
  for (std::size_t matrix = 0; matrix < count; ++matrix) {
    std::uint32_t packed = 0;
    for (std::size_t half = 0; half < 2; ++half) {
      const std::size_t across = lane % 4 * 2 + half;
      const std::size_t down = lane / 4;
      std::uint16_t element = 0;
      const auto* const from =
          static_cast<const std::byte*>(rows[8 * matrix + (transposed ? across : down)]);
      std::memcpy(&element, from + 2 * (transposed ? down : across), sizeof element);
      packed |= static_cast<std::uint32_t>(element) << (16 * half);
    }
    to[matrix] = packed;
  }
}

}  // namespace emulated

inline unsigned char* dynamic_shared() {
  return reinterpret_cast<unsigned char*>(cuda_emulator::dynamic_shared());
}

inline std::uint16_t round_to_bfloat16(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return static_cast<std::uint16_t>(bits >> 16 | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + (bits >> 16 & 1U)) >> 16);
}

inline std::uint32_t pack_bfloat16(float first, float second) {
  return static_cast<std::uint32_t>(round_to_bfloat16(second)) << 16 | round_to_bfloat16(first);
}

// By way of a power of two: 2^112 moves fp16's exponents to fp32's places, denormals included.
inline float widen_float16(std::uint16_t bits) {
  std::uint32_t wide = static_cast<std::uint32_t>(bits & 0x7FFFU) << 13;
  float value = 0;
  std::memcpy(&value, &wide, sizeof value);
  value *= 0x1p112F;
  std::memcpy(&wide, &value, sizeof wide);
  if ((bits & 0x7FFFU) >= 0x7C00U)
    wide = static_cast<std::uint32_t>(bits & 0x7FFFU) << 13 | 0x7F800000U;
  wide |= static_cast<std::uint32_t>(bits & 0x8000U) << 16;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

inline std::uint16_t round_to_float16(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  const std::uint32_t sign = bits >> 16 & 0x8000U, magnitude = bits & 0x7FFFFFFFU;
  std::uint32_t half = 0;
  if (magnitude > 0x7F800000U) {
    half = (magnitude >> 13 & 0x3FFU) | 0x7E00U;
  } else if (magnitude >= 0x477FF000U) {  // 65,520, the first that rounds to infinity
    half = 0x7C00U;
  } else if (magnitude < 113U << 23) {  // below 2^-14 the spacing is 2^-24, that of 0.5 in fp32
    float small = 0;
    std::memcpy(&small, &magnitude, sizeof small);
    small += 0.5F;
    std::memcpy(&half, &small, sizeof half);
    half -= 0x3F000000U;
  } else {
    half = (magnitude - (112U << 23) + 0xFFFU + (magnitude >> 13 & 1U)) >> 13;
  }
  return static_cast<std::uint16_t>(half | sign);
}

// Numbers too small for a normal fp32 are 0 (ftz).
inline float power_of_two(float value) {
  return value < -126.0F ? 0.0F : std::exp2(value);
}

inline void load_matrix_x4(std::uint32_t (&to)[4], const void* row) {
  emulated::load_matrices(to, 4, row, false);
}

inline void load_matrix_x4_transposed(std::uint32_t (&to)[4], const void* row) {
  emulated::load_matrices(to, 4, row, true);
}

inline void load_matrix_x2(std::uint32_t (&to)[2], const void* row) {
  emulated::load_matrices(to, 2, row, false);
}

inline void load_matrix_x2_transposed(std::uint32_t (&to)[2], const void* row) {
  emulated::load_matrices(to, 2, row, true);
}

inline void multiply_add_bfloat16(float (&sum)[4], const std::uint32_t (&a)[4],
                                  const std::uint32_t (&b)[2]) {
  struct Fragments {
    std::uint32_t a[4];
    std::uint32_t b[2];
  } mine{};
  std::memcpy(mine.a, a, sizeof mine.a);
  std::memcpy(mine.b, b, sizeof mine.b);
  const auto all = emulated::of_all_lanes(mine);
  const std::size_t group = cuda_emulator::lane() / 4;
  const std::size_t place = cuda_emulator::lane() % 4;
  for (std::size_t c = 0; c < 4; ++c) {
    const std::size_t lower = c / 2;  // row group or group + 8
    const std::size_t column = place * 2 + c % 2;
    for (std::size_t k = 0; k < 16; ++k) {
      const std::size_t lane_of_k = k % 8 / 2;
      const float left =
          emulated::bfloat16_half(all[group * 4 + lane_of_k].a[lower + 2 * (k / 8)], k % 2);
      const float right = emulated::bfloat16_half(all[column * 4 + lane_of_k].b[k / 8], k % 2);
      sum[c] += left * right;
    }
  }
}

inline void copy_async_16(void* shared, const void* global) {
  cuda_emulator::copy_later(shared, global, 16);
}

// Zeros where there is nothing to read.
inline void copy_async_16_or_zero(void* shared, const void* global, bool there) {
  cuda_emulator::copy_later(shared, there ? global : nullptr, 16);
}

inline void copy_async_4_or_zero(void* shared, const void* global, bool there) {
  cuda_emulator::copy_later(shared, there ? global : nullptr, 4);
}

inline void end_copy_group() {
  cuda_emulator::end_copy_group();
}

template <int groups_left>
void wait_for_copies() {
  cuda_emulator::wait_for_copies(groups_left);
}

}  // namespace quintet::kernels::cuda
