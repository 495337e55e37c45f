// Sixteen fp32 numbers at a time. The files of this folder are compiled once per target: namespace
// QUINTET_CPU_TARGET keeps the copies apart, and nothing of the standard library that is not a
// builtin may be called here, else the linker could pick one target's copy of it for all.
// A sum has one order on every target: lane by lane, then halves of the lanes added up.
#pragma once

#include <cassert>
#include <cstdint>

#include "kernels/types.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#define QUINTET_LANES [[gnu::always_inline]] inline

namespace quintet::kernels::QUINTET_CPU_TARGET {
namespace {

constexpr Index lane_count = 16;

using Lanes = float __attribute__((vector_size(64)));
using IntLanes = std::int32_t __attribute__((vector_size(64)));
using UnsignedLanes = std::uint32_t __attribute__((vector_size(64)));
using HalfLanes = std::uint16_t __attribute__((vector_size(32)));
using DoubleLanes = double __attribute__((vector_size(128)));
using LongLanes = std::uint64_t __attribute__((vector_size(128)));

// Subtracting 0 keeps every bit, also of -0.
QUINTET_LANES Lanes lanes(float value) {
  return value - Lanes{};
}
QUINTET_LANES IntLanes int_lanes(std::int32_t value) {
  return value - IntLanes{};
}
QUINTET_LANES UnsignedLanes unsigned_lanes(std::uint32_t value) {
  return value - UnsignedLanes{};
}
QUINTET_LANES DoubleLanes double_lanes(double value) {
  return value - DoubleLanes{};
}
QUINTET_LANES DoubleLanes to_double(Lanes value) {
  return __builtin_convertvector(value, DoubleLanes);
}

QUINTET_LANES IntLanes lane_numbers() {
  return IntLanes{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
}

// a * b + c: one rounding where the target fuses, else two.
QUINTET_LANES Lanes multiply_add(Lanes a, Lanes b, Lanes c) {
#if defined(QUINTET_FUSED) && defined(__AVX512F__)
  return reinterpret_cast<Lanes>(_mm512_fmadd_ps(
      reinterpret_cast<__m512>(a), reinterpret_cast<__m512>(b), reinterpret_cast<__m512>(c)));
#elif defined(QUINTET_FUSED) && defined(__FMA__)
  struct Halves {
    __m256 low, high;
  };
  const auto x = __builtin_bit_cast(Halves, a);
  const auto y = __builtin_bit_cast(Halves, b);
  const auto z = __builtin_bit_cast(Halves, c);
  return __builtin_bit_cast(
      Lanes, Halves{_mm256_fmadd_ps(x.low, y.low, z.low), _mm256_fmadd_ps(x.high, y.high, z.high)});
#else
  return a * b + c;
#endif
}

QUINTET_LANES Lanes square_root(Lanes value) {
#if defined(__AVX512F__)
  return reinterpret_cast<Lanes>(_mm512_maskz_sqrt_ps(0xFFFF, reinterpret_cast<__m512>(value)));
#else
  for (int lane = 0; lane < lane_count; ++lane) value[lane] = __builtin_sqrtf(value[lane]);
  return value;
#endif
}

QUINTET_LANES Lanes larger(Lanes a, Lanes b) {
  return a > b ? a : b;
}

// The first `count` lanes; the rest 0.
QUINTET_LANES Lanes first_lanes(Lanes value, Index count) {
  if (count >= lane_count) return value;
  return lane_numbers() < int_lanes(static_cast<std::int32_t>(count)) ? value : Lanes{};
}

QUINTET_LANES float sum_of_lanes(Lanes value) {
  for (int width = 8; width > 0; width /= 2)
    for (int lane = 0; lane < width; ++lane) value[lane] += value[lane + width];
  return value[0];
}

QUINTET_LANES double sum_of_lanes(DoubleLanes value) {
  for (int width = 8; width > 0; width /= 2)
    for (int lane = 0; lane < width; ++lane) value[lane] += value[lane + width];
  return value[0];
}

QUINTET_LANES float largest_lane(Lanes value) {
  for (int width = 8; width > 0; width /= 2)
    for (int lane = 0; lane < width; ++lane)
      value[lane] = value[lane] > value[lane + width] ? value[lane] : value[lane + width];
  return value[0];
}

}  // namespace
}  // namespace quintet::kernels::QUINTET_CPU_TARGET
