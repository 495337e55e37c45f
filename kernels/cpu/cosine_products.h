// The fast cosine transform: two products of small matrices in fp32, with sixteen columns of some
// rows at a time in registers. Every element is summed in the order of the depth: all targets that
// fuse give the same bits.
#pragma once

#include "kernels/cpu/cosine_basis.h"

namespace quintet::kernels::QUINTET_CPU_TARGET {
namespace {

// Registers: 4 x 4 sums, 4 of the right matrix and one of the left of AVX-512's 32; with AVX2,
// where sixteen numbers are two registers, 4 x 1 sums of its 16.
constexpr Index tile_rows = 4;
#if defined(__AVX512F__)
constexpr Index tile_vectors = 4;
#else
constexpr Index tile_vectors = 1;
#endif

struct ConstMatrix {
  const float* at;
  Index step;  // from row to row
};
struct Matrix {
  float* at;
  Index step;
};

// Columns of the right matrix are there in whole vectors; of the result's last vector as many are
// written as `columns` has.
struct SmallProduct {
  ConstMatrix left, right;
  Matrix to;
  Index depth, columns;
};

template <Index rows, Index vectors>
QUINTET_LANES void multiply_tile(const SmallProduct& p, Index row, Index column) {
  Lanes sum[rows][vectors] = {};
  const float* const left = p.left.at + row * p.left.step;
  const float* right = p.right.at + column;
  for (Index k = 0; k < p.depth; ++k, right += p.right.step)
    for (Index r = 0; r < rows; ++r) {
      const Lanes factor = lanes(left[r * p.left.step + k]);
      for (Index v = 0; v < vectors; ++v)
        sum[r][v] = multiply_add(factor, load(right + v * lane_count, lane_count), sum[r][v]);
    }
  for (Index r = 0; r < rows; ++r)
    for (Index v = 0; v < vectors; ++v)
      store(p.to.at + (row + r) * p.to.step + column + v * lane_count, sum[r][v],
            p.columns - column - v * lane_count);
}

template <Index vectors>
QUINTET_LANES void multiply_columns(const SmallProduct& p, Index rows, Index column) {
  Index row = 0;
  for (; row + tile_rows <= rows; row += tile_rows)
    multiply_tile<tile_rows, vectors>(p, row, column);
  for (; row < rows; ++row) multiply_tile<1, vectors>(p, row, column);
}

void multiply(const SmallProduct& p, Index rows) {
  Index column = 0;
  for (; column + (tile_vectors - 1) * lane_count < p.columns; column += tile_vectors * lane_count)
    multiply_columns<tile_vectors>(p, rows, column);
  for (; column < p.columns; column += lane_count) multiply_columns<1>(p, rows, column);
}

void transform_by_products(const CosineTransform& a) {
  const Chunks& c = a.chunks;
  const Bases<float> bases(a);
  const ConstMatrix across{bases.across.of[0], longest_chunk};
  const Index n = c.chunk_columns;
  // Chunks of one row lie one after the other in the tensor too.
  if (c.chunk_rows == 1)
    return multiply({{a.input, n}, across, {a.output, n}, n, n}, chunk_count(c));
  alignas(64) float half[longest_chunk][longest_chunk] = {};
  for (Index number = 0; number < chunk_count(c); ++number) {
    const FromTo place = places(a, number);
    multiply(
        {{a.input + place.from.first, place.from.step}, across, {half[0], longest_chunk}, n, n},
        c.chunk_rows);
    multiply({{bases.down.of[0], longest_chunk},
              {half[0], longest_chunk},
              {a.output + place.to.first, place.to.step},
              c.chunk_rows,
              n},
             c.chunk_rows);
  }
}

}  // namespace
}  // namespace quintet::kernels::QUINTET_CPU_TARGET
