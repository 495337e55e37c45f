// Sums of rows, column by column: gradients of weights and biases.
#pragma once

#include "kernels/cpu/memory.h"

namespace quintet::kernels::QUINTET_CPU_TARGET {
namespace {

// Rows are summed in blocks from zero, and the blocks added in order: the order depends on neither
// the width nor a split of it.
constexpr Index row_block = 256;

// Sums `vectors` vectors of columns from the first on, of which `left` columns are there; the sums
// stay in registers.
template <Index vectors, class Value>
QUINTET_LANES void sum_strip(Index rows, Index first, Index left, GradientWrite write, float* to,
                             Value value) {
  Lanes total[vectors];
  for (Index v = 0; v < vectors; ++v)
    total[v] =
        write == GradientWrite::accumulate ? load(to + first + v * lane_count, left) : Lanes{};
  for (Index row = 0; row < rows; row += row_block) {
    const Index end = rows - row < row_block ? rows : row + row_block;
    Lanes block[vectors];
    for (Index v = 0; v < vectors; ++v) block[v] = Lanes{};
    for (Index r = row; r < end; ++r)
      for (Index v = 0; v < vectors; ++v) block[v] += value(r, first + v * lane_count, left);
    for (Index v = 0; v < vectors; ++v) total[v] += block[v];
  }
  for (Index v = 0; v < vectors; ++v) store(to + first + v * lane_count, total[v], left);
}

// to[c] = or += sum over rows of value(row, column, lanes).
template <class Value>
QUINTET_LANES void sum_columns(Index rows, Index width, GradientWrite write, float* to,
                               Value value) {
  Index first = 0;
  for (; first + 4 * lane_count <= width; first += 4 * lane_count)
    sum_strip<4>(rows, first, lane_count, write, to, value);
  for (; first + lane_count <= width; first += lane_count)
    sum_strip<1>(rows, first, lane_count, write, to, value);
  if (first < width) sum_strip<1>(rows, first, width - first, write, to, value);
}

}  // namespace
}  // namespace quintet::kernels::QUINTET_CPU_TARGET
