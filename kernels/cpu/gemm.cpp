// Tiles of c that stay in the second-level cache, operands packed so that the inner loop reads
// ascending memory (Goto and van de Geijn, "Anatomy of high-performance matrix multiplication",
// 2008).
#include "kernels/gemm.h"

#include <type_traits>

#include "kernels/cpu/column_sums.h"
#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/tile.h"

namespace quintet::kernels::QUINTET_CPU_TARGET {
namespace {

constexpr Index tile_rows = 240;  // a multiple of register_rows: 12, 6 and 4
constexpr Index tile_columns = 128;
constexpr Index panel_columns = register_vectors * lane_count;
// One vector more than the block: rows then start in different cache sets.
constexpr Index left_stride = gemm_summation_block + lane_count;

struct GemmScratch {
  alignas(64) float left[tile_rows * left_stride];
  alignas(64) float right[gemm_summation_block * tile_columns];  // panel after panel
  alignas(64) float sum[tile_rows * tile_columns];
};

struct Strides {
  Index a, b, c;
};

Index stride_or(Index stride, Index dense) {
  return stride == 0 ? dense : stride;
}

Strides strides_of(const Gemm& g) {
  const Index a = g.form == GemmForm::a_transposed_b ? g.rows : g.depth;
  const Index b = g.form == GemmForm::a_b_transposed ? g.depth : g.columns;
  return {stride_or(g.a_stride, a), stride_or(g.b_stride, b), stride_or(g.c_stride, g.columns)};
}

struct Range {
  Index first, count;
};

Range part(Index first, Index whole, Index size) {
  return {first, whole - first < size ? whole - first : size};
}

template <class Element>
void pack_left(const Gemm& g, Index stride, Range rows, Range depth, float* to) {
  const auto* const a = static_cast<const Element*>(g.a.data);
  const TileView tile{to, left_stride};
  if (g.form == GemmForm::a_transposed_b)
    pack_columns(a + depth.first * stride + rows.first, stride, depth.count, rows.count,
                 depth.count, tile);
  else
    pack_rows(a + rows.first * stride + depth.first, stride, rows.count, depth.count, tile);
}

template <class Element>
void pack_right(const Gemm& g, Index stride, Range columns, Range depth, float* to) {
  const auto* const b = static_cast<const Element*>(g.b.data);
  for (Index first = 0; first < columns.count; first += panel_columns) {
    const Range panel = part(first, columns.count, panel_columns);
    const Index column = columns.first + first;
    const TileView tile{to + first * gemm_summation_block, panel_columns};
    if (g.form == GemmForm::a_b_transposed)
      pack_columns(b + column * stride + depth.first, stride, panel.count, depth.count,
                   whole_lanes(panel.count), tile);
    else
      pack_rows(b + depth.first * stride + column, stride, depth.count, panel.count, tile);
  }
}

void multiply_panels(GemmScratch& scratch, Range rows, Range columns, Range depth,
                     TileWrite write) {
  for (Index first = 0; first < columns.count; first += panel_columns) {
    const Range panel = part(first, columns.count, panel_columns);
    multiply_tile({scratch.left, left_stride},
                  {scratch.right + first * gemm_summation_block, panel_columns},
                  {scratch.sum + first, tile_columns}, rows.count, whole_lanes(panel.count),
                  depth.count, write);
  }
}

template <class Element>
void store_tile(const Gemm& g, Index stride, Range rows, Range columns, const float* sum) {
  auto* const c = static_cast<Element*>(g.c.data) + columns.first;
  for (Index r = 0; r < rows.count; ++r)
    for_lanes(columns.count, [&](Index at, Index left) {
      Lanes value = load(sum + r * tile_columns + at, lane_count);
      with_element(g.bias.type, [&](auto* element) {
        if (g.bias.data != nullptr)
          value += load(elements(g.bias, element) + columns.first + at, left);
      });
      store(c + (rows.first + r) * stride + at, value, left);
    });
}

template <class Element>
void multiply_one(const Gemm& g, Strides strides, Range rows, Range columns, GemmScratch& scratch) {
  TileWrite write = TileWrite::overwrite;
  if (g.write == GradientWrite::accumulate || g.depth == 0) {
    const auto* const c = static_cast<const float*>(g.c.data);
    const Index filled = whole_lanes(columns.count);
    for (Index r = 0; r < rows.count; ++r)
      for_lanes(filled, [&](Index at, Index) {
        store(scratch.sum + r * tile_columns + at, Lanes{}, lane_count);
      });
    if (g.write == GradientWrite::accumulate)
      pack_rows(c + rows.first * strides.c + columns.first, strides.c, rows.count, columns.count,
                {scratch.sum, tile_columns});
    write = TileWrite::add;
  }
  for (Index k = 0; k < g.depth; k += gemm_summation_block) {
    const Range depth = part(k, g.depth, gemm_summation_block);
    pack_left<Element>(g, strides.a, rows, depth, scratch.left);
    pack_right<Element>(g, strides.b, columns, depth, scratch.right);
    multiply_panels(scratch, rows, columns, depth, write);
    write = TileWrite::add;
  }
}

template <class Element>
void multiply(const Gemm& g) {
  const Strides strides = strides_of(g);
  GemmScratch scratch;
  for (Index column = 0; column < g.columns; column += tile_columns)
    for (Index row = 0; row < g.rows; row += tile_rows) {
      const Range columns = part(column, g.columns, tile_columns);
      const Range rows = part(row, g.rows, tile_rows);
      multiply_one<Element>(g, strides, rows, columns, scratch);
      with_element(g.c.type, [&](auto* element) {
        using Output = std::remove_pointer_t<decltype(element)>;
        store_tile<Output>(g, strides.c, rows, columns, scratch.sum);
      });
    }
}

template <class Element>
void add_bias(const BiasAdd& a) {
  auto* const values = static_cast<Element*>(a.values.data);
  const auto* const bias = static_cast<const Element*>(a.bias.data);
  for (Index r = 0; r < a.rows; ++r)
    for_lanes(a.columns, [&](Index at, Index left) {
      Element* const to = values + r * a.columns + at;
      store(to, load(to, left) + load(bias + at, left), left);
    });
}

template <class Element>
void sum_rows(const BiasGradient& a) {
  const auto* const from = static_cast<const Element*>(a.output_gradient.data);
  sum_columns(a.rows, a.columns, a.write, a.bias_gradient, [&](Index row, Index at, Index left) {
    return load(from + row * a.columns + at, left);
  });
}

}  // namespace

void CpuKernels::gemm(const Gemm& g, Stream&) {
  assert(g.a.type == g.b.type);
  assert(g.write == GradientWrite::overwrite ||
         (g.c.type == ElementType::fp32 && g.bias.data == nullptr));
  if (product_ != nullptr && g.depth > 0 && product_->multiply(g)) return;
  with_element(g.a.type,
               [&](auto* element) { multiply<std::remove_pointer_t<decltype(element)>>(g); });
}

void CpuKernels::bias_add(const BiasAdd& a, Stream&) {
  assert(a.values.type == a.bias.type);
  with_element(a.values.type,
               [&](auto* element) { add_bias<std::remove_pointer_t<decltype(element)>>(a); });
}

void CpuKernels::bias_gradient(const BiasGradient& a, Stream&) {
  with_element(a.output_gradient.type,
               [&](auto* element) { sum_rows<std::remove_pointer_t<decltype(element)>>(a); });
}

}  // namespace quintet::kernels::QUINTET_CPU_TARGET
