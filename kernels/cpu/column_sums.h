// Sums of rows, column by column: gradients of weights and biases.
#pragma once

#include "kernels/cpu/memory.h"

namespace quintet::kernels::QUINTET_CPU_TARGET {
namespace {

// Rows are summed in blocks from zero, and the blocks added in order: the order depends on neither
// the width nor a split of it.
constexpr Index row_block = 256;
constexpr Index column_block = 512;

// to[c] = or += sum over rows of value(row, column, lanes).
template <class Value>
QUINTET_LANES void sum_columns(Index rows, Index width, GradientWrite write, float* to,
                               Value value) {
  for (Index first = 0; first < width; first += column_block) {
    const Index columns = width - first < column_block ? width - first : column_block;
    alignas(64) float total[column_block] = {};
    if (write == GradientWrite::accumulate)
      for_lanes(columns, [&](Index at, Index left) {
        store(total + at, load(to + first + at, left), lane_count);
      });
    for (Index row = 0; row < rows; row += row_block) {
      const Index end = rows - row < row_block ? rows : row + row_block;
      alignas(64) float block[column_block] = {};
      for (Index r = row; r < end; ++r)
        for_lanes(columns, [&](Index at, Index left) {
          store(block + at, load(block + at, lane_count) + value(r, first + at, left), lane_count);
        });
      for_lanes(column_block, [&](Index at, Index left) {
        store(total + at, load(total + at, left) + load(block + at, left), left);
      });
    }
    for_lanes(columns, [&](Index at, Index left) {
      store(to + first + at, load(total + at, lane_count), left);
    });
  }
}

}  // namespace
}  // namespace quintet::kernels::QUINTET_CPU_TARGET
