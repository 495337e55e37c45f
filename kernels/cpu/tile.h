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

// A row-major matrix of fp32 in scratch memory.
struct TileView {
  float* data = nullptr;
  Index stride = 0;
};

enum class TileWrite { overwrite, add };

// Memory that is wanted next, brought near line by line while something else is computed.
struct Coming {
  const char* first = nullptr;
  Index stride = 0, rows = 0, lines = 0;  // bytes from row to row; lines of 64 bytes in a row
  Index each = 0;                         // lines at a time
  Index row = 0, line = 0;

  QUINTET_LANES void bring() {
    for (Index count = 0; count < each && row < rows; ++count) {
      __builtin_prefetch(first + row * stride + 64 * line, 0, 2);
      if (++line < lines) continue;
      line = 0;
      ++row;
    }
  }
};

template <Index rows, Index vectors>
QUINTET_LANES void multiply_registers(TileView a, TileView b, TileView c, Index depth,
                                      TileWrite write) {
  Lanes sum[rows][vectors];
  for (Index r = 0; r < rows; ++r)
    for (Index v = 0; v < vectors; ++v) {
      sum[r][v] = Lanes{};
      __builtin_prefetch(c.data + r * c.stride + v * lane_count, 1);
    }
  for (Index k = 0; k < depth; ++k) {
    // The rows of a that come next, to the second-level cache.
    if (k % lane_count == 0)
      for (Index r = 0; r < rows; ++r) __builtin_prefetch(a.data + (rows + r) * a.stride + k, 0, 2);
    Lanes right[vectors];
    for (Index v = 0; v < vectors; ++v)
      right[v] = load(b.data + k * b.stride + v * lane_count, lane_count);
    for (Index r = 0; r < rows; ++r) {
      const Lanes left = lanes(a.data[r * a.stride + k]);
      for (Index v = 0; v < vectors; ++v) sum[r][v] = multiply_add(left, right[v], sum[r][v]);
    }
  }
  for (Index r = 0; r < rows; ++r)
    for (Index v = 0; v < vectors; ++v) {
      float* const to = c.data + r * c.stride + v * lane_count;
      const Lanes before = write == TileWrite::add ? load(to, lane_count) : Lanes{};
      store(to, before + sum[r][v], lane_count);
    }
}

template <Index vectors>
void multiply_columns(TileView a, TileView b, TileView c, Index rows, Index depth, TileWrite write,
                      Coming& coming) {
  Index r = 0;
  const auto at = [&](TileView view) { return TileView{view.data + r * view.stride, view.stride}; };
  for (; r + register_rows <= rows; r += register_rows) {
    coming.bring();
    multiply_registers<register_rows, vectors>(at(a), b, at(c), depth, write);
  }
  for (; r + 4 <= rows; r += 4) multiply_registers<4, vectors>(at(a), b, at(c), depth, write);
  for (; r < rows; ++r) multiply_registers<1, vectors>(at(a), b, at(c), depth, write);
}

// c[rows, columns] = or += a[rows, depth] b[depth, columns]; columns is a multiple of 16. Each
// element is summed from 0 in order of depth, and then added to what is there.
inline void multiply_tile(TileView a, TileView b, TileView c, Index rows, Index columns,
                          Index depth, TileWrite write) {
  Index column = 0;
  Coming nothing;
  const auto at = [&](TileView view) { return TileView{view.data + column, view.stride}; };
  for (; column + register_vectors * lane_count <= columns; column += register_vectors * lane_count)
    multiply_columns<register_vectors>(a, at(b), at(c), rows, depth, write, nothing);
  for (; column < columns; column += lane_count)
    multiply_columns<1>(a, at(b), at(c), rows, depth, write, nothing);
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

// Eight rows of eight become columns.
struct EightRows {
  FloatHalf row[8];
};

QUINTET_LANES EightRows turned(const EightRows& from) {
  FloatHalf pairs[8], fours[8];
  for (int i = 0; i < 8; i += 2) {
    pairs[i] = __builtin_shufflevector(from.row[i], from.row[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    pairs[i + 1] =
        __builtin_shufflevector(from.row[i], from.row[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (int i = 0; i < 8; i += 4)
    for (int half = 0; half < 2; ++half) {
      const FloatHalf a = pairs[i + half], b = pairs[i + half + 2];
      fours[i + 2 * half] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
      fours[i + 2 * half + 1] = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
    }
  EightRows to;
  for (int i = 0; i < 4; ++i) {
    to.row[i] = __builtin_shufflevector(fours[i], fours[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    to.row[i + 4] = __builtin_shufflevector(fours[i], fours[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
  return to;
}

// Rows of memory to columns of a tile, as many as asked for, those behind `rows` 0.
template <class Element>
QUINTET_LANES void pack_columns(const Element* from, Index stride, Index rows, Index columns,
                                Index filled, TileView to) {
  Index r = 0;
  for (; r + 8 <= rows; r += 8)
    for_lanes(columns, [&](Index at, Index left) QUINTET_INLINED {
      EightRows low, high;
      for (Index i = 0; i < 8; ++i) {
        const Lanes value = load(from + (r + i) * stride + at, left);
        low.row[i] = low_half(value);
        high.row[i] = high_half(value);
      }
      const EightRows halves[] = {turned(low), turned(high)};
      for (Index lane = 0; lane < lane_count; ++lane)
        if (lane < left)
          InMemory<FloatHalf>::store(to.data + (at + lane) * to.stride + r,
                                     halves[lane / 8].row[lane % 8]);
    });
  for (; r < rows; ++r)
    for_lanes(columns, [&](Index at, Index left) {
      const Lanes value = load(from + r * stride + at, left);
      for (Index lane = 0; lane < left; ++lane)
        to.data[(at + lane) * to.stride + r] = lane_of(value, lane);
    });
  for (Index c = 0; c < columns; ++c)
    for (r = rows; r < filled; ++r) to.data[c * to.stride + r] = 0.0F;
}

constexpr Index whole_lanes(Index count) {
  return (count + lane_count - 1) / lane_count * lane_count;
}

}  // namespace
}  // namespace quintet::kernels::QUINTET_CPU_TARGET
