// The reference for GPUs: codes become fp32 once, and each result's products are added in the order
// of the depth. Training in 8 bits on a CPU gains nothing.
#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/memory.h"
#include "kernels/float8_code.h"

namespace quintet::kernels::QUINTET_CPU_TARGET {
namespace {

// Every code's value, so that a product is two look-ups.
struct Values {
  float of[256];
  explicit Values(Float8Form form) {
    for (unsigned code = 0; code < 256; ++code)
      of[code] = __builtin_bit_cast(float, float8_bits(form, static_cast<std::uint8_t>(code)));
  }
};

struct Factor {
  const Float8Matrix& matrix;
  Index lines, depth;
  float scale(Index line, Index k) const {
    return matrix.scales[scale_place(matrix.blocks, lines, depth, line, k)];
  }
};

constexpr Index tile = 64, tile_depth = scale_block;

Index least(Index one, Index other) {
  return one < other ? one : other;
}

// A tile of the result, from both factors' codes as numbers; no vector, whose functions would be
// those of one CPU target for all.
struct Tile {
  Index first_row, first_column, rows, columns;
  float left[tile][tile_depth], right[tile_depth][tile];
  float of_block[tile][tile], sum[tile][tile];

  void read(const Float8Gemm& g, const Values& a, const Values& b, Index begin, Index depth) {
    for (Index row = 0; row < rows; ++row)
      for (Index k = 0; k < depth; ++k)
        left[row][k] = a.of[g.a.codes[(first_row + row) * g.depth + begin + k].bits];
    for (Index column = 0; column < columns; ++column)
      for (Index k = 0; k < depth; ++k)
        right[k][column] = b.of[g.b.codes[(first_column + column) * g.depth + begin + k].bits];
  }
  void multiply(Index depth) {
    for (Index row = 0; row < rows; ++row)
      for (Index k = 0; k < depth; ++k)
        for (Index column = 0; column < tile; ++column)
          of_block[row][column] += left[row][k] * right[k][column];
  }
  void end_block(const Factor& a, const Factor& b, Index begin) {
    for (Index row = 0; row < rows; ++row)
      for (Index column = 0; column < columns; ++column) {
        sum[row][column] += of_block[row][column] * (a.scale(first_row + row, begin) *
                                                     b.scale(first_column + column, begin));
        of_block[row][column] = 0.0F;
      }
  }
};

// Each block of the depth is summed by itself and then scaled, unless one scale holds for all.
void sum_up(const Float8Gemm& g, const Values& a_values, const Values& b_values, Tile& made) {
  const bool in_blocks = g.a.blocks != ScaleBlocks::tensor || g.b.blocks != ScaleBlocks::tensor;
  const Factor a{g.a, g.rows, g.depth}, b{g.b, g.columns, g.depth};
  for (Index begin = 0; begin < g.depth; begin += tile_depth) {
    const Index depth = least(tile_depth, g.depth - begin);
    made.read(g, a_values, b_values, begin, depth);
    made.multiply(depth);
    if (in_blocks || begin + depth == g.depth) made.end_block(a, b, begin);
  }
}

template <class Element>
void write(const Float8Gemm& g, const Tile& made, Element* c) {
  for (Index row = 0; row < made.rows; ++row)
    for (Index column = 0; column < made.columns; ++column) {
      Element* const to = c + (made.first_row + row) * g.columns + made.first_column + column;
      const float before = g.write == GradientWrite::accumulate ? load_one(to) : 0.0F;
      store_one(to, before + made.sum[row][column]);
    }
}

template <class Element>
void multiply(const Float8Gemm& g, Element* c) {
  const Values a(g.a.form), b(g.b.form);
  for (Index row = 0; row < g.rows; row += tile)
    for (Index column = 0; column < g.columns; column += tile) {
      Tile made{row, column, least(tile, g.rows - row), least(tile, g.columns - column), {}, {},
                {},  {}};
      sum_up(g, a, b, made);
      write(g, made, c);
    }
}

}  // namespace

void CpuKernels::float8_gemm(const Float8Gemm& g, Stream&) {
  assert(g.write == GradientWrite::overwrite || g.c.type == ElementType::fp32);
  with_element(g.c.type, [&](auto* kind) { multiply(g, elements(g.c, kind)); });
}

}  // namespace quintet::kernels::QUINTET_CPU_TARGET
