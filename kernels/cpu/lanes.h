// Sixteen fp32 numbers at a time. The files of this folder are compiled once per target: namespace
// QUINTET_CPU_TARGET keeps the copies apart, and nothing of the standard library that is not a
// builtin may be called here, else the linker could pick one target's copy of it for all.
// A sum has one order on every target: lane by lane, then halves of the lanes added up.
#pragma once

#include <cassert>
#include <cstdint>

#include "kernels/cpu/pair.h"
#include "kernels/types.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace quintet::kernels::QUINTET_CPU_TARGET {
namespace {

constexpr Index lane_count = 16;

using HalfLanes = std::uint16_t __attribute__((vector_size(32)));
using FloatHalf = float __attribute__((vector_size(32)));
using IntHalf = std::int32_t __attribute__((vector_size(32)));
using UnsignedHalf = std::uint32_t __attribute__((vector_size(32)));

#if defined(__AVX2__) && !defined(__AVX512F__)
#define QUINTET_LANES_IN_PAIRS
using DoubleQuarter = double __attribute__((vector_size(32)));
using LongQuarter = std::uint64_t __attribute__((vector_size(32)));
using Lanes = Pair<FloatHalf>;
using IntLanes = Pair<IntHalf>;
using UnsignedLanes = Pair<UnsignedHalf>;
using DoubleHalf = Pair<DoubleQuarter>;
using LongHalf = Pair<LongQuarter>;
#else
using Lanes = float __attribute__((vector_size(64)));
using IntLanes = std::int32_t __attribute__((vector_size(64)));
using UnsignedLanes = std::uint32_t __attribute__((vector_size(64)));
using DoubleHalf = double __attribute__((vector_size(64)));
using LongHalf = std::uint64_t __attribute__((vector_size(64)));
#endif
using DoubleLanes = Pair<DoubleHalf>;
using LongLanes = Pair<LongHalf>;

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

#if defined(QUINTET_LANES_IN_PAIRS)
QUINTET_LANES IntLanes lane_numbers() {
  return {IntHalf{0, 1, 2, 3, 4, 5, 6, 7}, IntHalf{8, 9, 10, 11, 12, 13, 14, 15}};
}
QUINTET_LANES FloatHalf low_half(Lanes value) {
  return value.low;
}
QUINTET_LANES FloatHalf high_half(Lanes value) {
  return value.high;
}
QUINTET_LANES DoubleHalf to_double(FloatHalf value) {
  const auto whole = reinterpret_cast<__m256>(value);
  return {reinterpret_cast<DoubleQuarter>(_mm256_cvtps_pd(_mm256_castps256_ps128(whole))),
          reinterpret_cast<DoubleQuarter>(_mm256_cvtps_pd(_mm256_extractf128_ps(whole, 1)))};
}
QUINTET_LANES UnsignedLanes widened(HalfLanes value) {
  const auto whole = reinterpret_cast<__m256i>(value);
  return {
      reinterpret_cast<UnsignedHalf>(_mm256_cvtepu16_epi32(_mm256_castsi256_si128(whole))),
      reinterpret_cast<UnsignedHalf>(_mm256_cvtepu16_epi32(_mm256_extracti128_si256(whole, 1)))};
}
// The numbers are below 2^16.
QUINTET_LANES HalfLanes narrowed(UnsignedLanes value) {
  // The instruction packs within each half of 128 bits.
  const __m256i packed = _mm256_packus_epi32(reinterpret_cast<__m256i>(value.low),
                                             reinterpret_cast<__m256i>(value.high));
  return reinterpret_cast<HalfLanes>(_mm256_permute4x64_epi64(packed, 0b11011000));
}
#else
QUINTET_LANES IntLanes lane_numbers() {
  return IntLanes{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
}
QUINTET_LANES FloatHalf low_half(Lanes value) {
  return __builtin_shufflevector(value, value, 0, 1, 2, 3, 4, 5, 6, 7);
}
QUINTET_LANES FloatHalf high_half(Lanes value) {
  return __builtin_shufflevector(value, value, 8, 9, 10, 11, 12, 13, 14, 15);
}
QUINTET_LANES DoubleHalf to_double(FloatHalf value) {
  return __builtin_convertvector(value, DoubleHalf);
}
QUINTET_LANES UnsignedLanes widened(HalfLanes value) {
  return __builtin_convertvector(value, UnsignedLanes);
}
QUINTET_LANES HalfLanes narrowed(UnsignedLanes value) {
  return __builtin_convertvector(value, HalfLanes);
}
#endif

QUINTET_LANES DoubleLanes to_double(Lanes value) {
  return {to_double(low_half(value)), to_double(high_half(value))};
}

QUINTET_LANES float lane_of(Lanes value, Index lane) {
#if defined(QUINTET_LANES_IN_PAIRS)
  return lane < 8 ? value.low[lane] : value.high[lane - 8];
#else
  return value[lane];
#endif
}

#if defined(__AVX2__) && defined(QUINTET_FUSED)
QUINTET_LANES FloatHalf multiply_add(FloatHalf a, FloatHalf b, FloatHalf c) {
  return reinterpret_cast<FloatHalf>(_mm256_fmadd_ps(
      reinterpret_cast<__m256>(a), reinterpret_cast<__m256>(b), reinterpret_cast<__m256>(c)));
}
#endif

// a * b + c: one rounding where the target fuses, else two.
QUINTET_LANES Lanes multiply_add(Lanes a, Lanes b, Lanes c) {
#if defined(QUINTET_FUSED) && defined(__AVX512F__)
  return reinterpret_cast<Lanes>(_mm512_fmadd_ps(
      reinterpret_cast<__m512>(a), reinterpret_cast<__m512>(b), reinterpret_cast<__m512>(c)));
#elif defined(QUINTET_FUSED) && defined(QUINTET_LANES_IN_PAIRS)
  return {multiply_add(a.low, b.low, c.low), multiply_add(a.high, b.high, c.high)};
#else
  return a * b + c;
#endif
}

QUINTET_LANES Lanes square_root(Lanes value) {
#if defined(__AVX512F__)
  return reinterpret_cast<Lanes>(_mm512_maskz_sqrt_ps(0xFFFF, reinterpret_cast<__m512>(value)));
#elif defined(QUINTET_LANES_IN_PAIRS)
  return {reinterpret_cast<FloatHalf>(_mm256_sqrt_ps(reinterpret_cast<__m256>(value.low))),
          reinterpret_cast<FloatHalf>(_mm256_sqrt_ps(reinterpret_cast<__m256>(value.high)))};
#else
  for (int lane = 0; lane < lane_count; ++lane) value[lane] = __builtin_sqrtf(value[lane]);
  return value;
#endif
}

template <class Vector>
QUINTET_LANES Vector larger(Vector a, Vector b) {
  return select(a > b, a, b);
}

// The first `count` lanes; the rest 0.
QUINTET_LANES Lanes first_lanes(Lanes value, Index count) {
  if (count >= lane_count) return value;
  return select(lane_numbers() < int_lanes(static_cast<std::int32_t>(count)), value, Lanes{});
}

// Halves upon halves; what is combined with lanes that are used up is not looked at.
template <class Combine>
QUINTET_LANES float lanes_combined(Lanes value, Combine combine) {
  const FloatHalf eight = combine(low_half(value), high_half(value));
  const FloatHalf four =
      combine(eight, __builtin_shufflevector(eight, eight, 4, 5, 6, 7, 4, 5, 6, 7));
  const FloatHalf two = combine(four, __builtin_shufflevector(four, four, 2, 3, 2, 3, 2, 3, 2, 3));
  return combine(two, __builtin_shufflevector(two, two, 1, 1, 1, 1, 1, 1, 1, 1))[0];
}

QUINTET_LANES float sum_of_lanes(Lanes value) {
  return lanes_combined(value, [](FloatHalf a, FloatHalf b) { return a + b; });
}

template <class Vector>
QUINTET_LANES double sum_of_doubles(Vector value, int count) {
  for (int width = count / 2; width > 0; width /= 2)
    for (int lane = 0; lane < width; ++lane) value[lane] += value[lane + width];
  return value[0];
}
template <class Half>
QUINTET_LANES double sum_of_doubles(Pair<Half> value, int count) {
  return sum_of_doubles(value.low + value.high, count / 2);
}

QUINTET_LANES double sum_of_lanes(DoubleLanes value) {
  return sum_of_doubles(value, lane_count);
}

QUINTET_LANES float largest_lane(Lanes value) {
  return lanes_combined(value, [](FloatHalf a, FloatHalf b) { return larger(a, b); });
}

}  // namespace
}  // namespace quintet::kernels::QUINTET_CPU_TARGET
