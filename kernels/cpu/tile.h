// The inner loop of matrix product and attention: a tile in registers.
#pragma once

#include "kernels/cpu/memory.h"

namespace quintet::kernels::QUINTET_CPU_TARGET {
namespace {

// Rows and vectors of 16 columns that fit the registers; they do not change the order of any sum.
#if defined(__AVX512F__)
constexpr Index register_rows = 12;
constexpr Index register_vectors = 2;
#elif defined(__AVX2__)
constexpr Index register_rows = 6;
constexpr Index register_vectors = 1;
#else
constexpr Index register_rows = 4;
constexpr Index register_vectors = 1;
#endif

// Sixteen numbers in registers. GCC keeps a vector wider than the target's registers in memory,
// which the inner loop cannot afford, so AVX2 has two of its own.
#if defined(__AVX2__) && !defined(__AVX512F__)
struct Wide {
  __m256 low, high;
};
QUINTET_LANES Wide wide_zeros() {
  return {_mm256_setzero_ps(), _mm256_setzero_ps()};
}
QUINTET_LANES Wide wide(float value) {
  return {_mm256_set1_ps(value), _mm256_set1_ps(value)};
}
QUINTET_LANES Wide load_wide(const float* from) {
  return {_mm256_loadu_ps(from), _mm256_loadu_ps(from + 8)};
}
QUINTET_LANES void store_wide(float* to, Wide value) {
  _mm256_storeu_ps(to, value.low);
  _mm256_storeu_ps(to + 8, value.high);
}
QUINTET_LANES Wide sum_of(Wide a, Wide b) {
  return {_mm256_add_ps(a.low, b.low), _mm256_add_ps(a.high, b.high)};
}
QUINTET_LANES Wide multiply_add(Wide a, Wide b, Wide c) {
#if defined(QUINTET_FUSED)
  return {_mm256_fmadd_ps(a.low, b.low, c.low), _mm256_fmadd_ps(a.high, b.high, c.high)};
#else
  return {_mm256_add_ps(_mm256_mul_ps(a.low, b.low), c.low),
          _mm256_add_ps(_mm256_mul_ps(a.high, b.high), c.high)};
#endif
}
#else
using Wide = Lanes;
QUINTET_LANES Wide wide_zeros() {
  return Wide{};
}
QUINTET_LANES Wide wide(float value) {
  return lanes(value);
}
QUINTET_LANES Wide load_wide(const float* from) {
  return load(from, lane_count);
}
QUINTET_LANES void store_wide(float* to, Wide value) {
  store(to, value, lane_count);
}
QUINTET_LANES Wide sum_of(Wide a, Wide b) {
  return a + b;
}
#endif

// A row-major matrix of fp32 in scratch memory.
struct TileView {
  float* data = nullptr;
  Index stride = 0;
};

enum class TileWrite { overwrite, add };

template <Index rows, Index vectors>
QUINTET_LANES void multiply_registers(TileView a, TileView b, TileView c, Index depth,
                                      TileWrite write) {
  Wide sum[rows][vectors];
  for (Index r = 0; r < rows; ++r)
    for (Index v = 0; v < vectors; ++v) sum[r][v] = wide_zeros();
  for (Index k = 0; k < depth; ++k) {
    Wide right[vectors];
    for (Index v = 0; v < vectors; ++v)
      right[v] = load_wide(b.data + k * b.stride + v * lane_count);
    for (Index r = 0; r < rows; ++r) {
      const Wide left = wide(a.data[r * a.stride + k]);
      for (Index v = 0; v < vectors; ++v) sum[r][v] = multiply_add(left, right[v], sum[r][v]);
    }
  }
  for (Index r = 0; r < rows; ++r)
    for (Index v = 0; v < vectors; ++v) {
      float* const to = c.data + r * c.stride + v * lane_count;
      const Wide before = write == TileWrite::add ? load_wide(to) : wide_zeros();
      store_wide(to, sum_of(before, sum[r][v]));
    }
}

template <Index vectors>
void multiply_columns(TileView a, TileView b, TileView c, Index rows, Index depth,
                      TileWrite write) {
  Index r = 0;
  const auto at = [&](TileView view) { return TileView{view.data + r * view.stride, view.stride}; };
  for (; r + register_rows <= rows; r += register_rows)
    multiply_registers<register_rows, vectors>(at(a), b, at(c), depth, write);
  for (; r + 4 <= rows; r += 4) multiply_registers<4, vectors>(at(a), b, at(c), depth, write);
  for (; r < rows; ++r) multiply_registers<1, vectors>(at(a), b, at(c), depth, write);
}

// c[rows, columns] = or += a[rows, depth] b[depth, columns]; columns is a multiple of 16. Each
// element is summed from 0 in order of depth, and then added to what is there.
inline void multiply_tile(TileView a, TileView b, TileView c, Index rows, Index columns,
                          Index depth, TileWrite write) {
  Index column = 0;
  const auto at = [&](TileView view) { return TileView{view.data + column, view.stride}; };
  for (; column + register_vectors * lane_count <= columns; column += register_vectors * lane_count)
    multiply_columns<register_vectors>(a, at(b), at(c), rows, depth, write);
  for (; column < columns; column += lane_count)
    multiply_columns<1>(a, at(b), at(c), rows, depth, write);
}

// Rows of memory to rows of a tile, the columns filled up with 0 to a multiple of 16.
template <class Element>
QUINTET_LANES void pack_rows(const Element* from, Index stride, Index rows, Index columns,
                             TileView to) {
  for (Index r = 0; r < rows; ++r)
    for_lanes(columns, [&](Index at, Index left) {
      store(to.data + r * to.stride + at, load(from + r * stride + at, left), lane_count);
    });
}

// Rows of memory to columns of a tile, as many as asked for, those behind `rows` 0.
template <class Element>
QUINTET_LANES void pack_columns(const Element* from, Index stride, Index rows, Index columns,
                                Index filled, TileView to) {
  for (Index r = 0; r < rows; ++r)
    for_lanes(columns, [&](Index at, Index left) {
      const Lanes value = load(from + r * stride + at, left);
      for (Index lane = 0; lane < left; ++lane) to.data[(at + lane) * to.stride + r] = value[lane];
    });
  for (Index c = 0; c < columns; ++c)
    for (Index r = rows; r < filled; ++r) to.data[c * to.stride + r] = 0.0F;
}

constexpr Index whole_lanes(Index count) {
  return (count + lane_count - 1) / lane_count * lane_count;
}

}  // namespace
}  // namespace quintet::kernels::QUINTET_CPU_TARGET
