// Operands are packed so that the inner loop reads ascending memory, and blocked for the caches
// (Goto and van de Geijn, "Anatomy of high-performance matrix multiplication", 2008): a block of
// rows of a is packed over all of the depth that fits, then column block after column block of b
// goes by.
#include "kernels/gemm.h"

#include <type_traits>

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/tile.h"

namespace quintet::kernels::QUINTET_CPU_TARGET {
namespace {

constexpr Index tile_columns = product_columns;
constexpr Index panel_columns = register_vectors * lane_count;
// One vector more than the block: rows then start in different cache sets.
constexpr Index left_stride = gemm_summation_block + lane_count;
static_assert(product_rows % register_rows == 0);
static_assert(sizeof(ProductScratch::left) >=
              sizeof(float) * product_blocks * product_rows * left_stride);

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

// The part of b that comes next, while what is packed is multiplied.
Coming coming_right(const Gemm& g, Index stride, Range columns, Range depth, Range rows) {
  const Index size = g.b.type == ElementType::fp32 ? 4 : 2;
  const bool turned = g.form == GemmForm::a_b_transposed;
  const Range outer = turned ? columns : depth, inner = turned ? depth : columns;
  Coming coming;
  coming.first = static_cast<const char*>(g.b.data) + (outer.first * stride + inner.first) * size;
  coming.stride = stride * size;
  coming.rows = outer.count;
  coming.lines = (inner.count * size + 63) / 64;
  const Index calls = (tile_columns / panel_columns) * (rows.count / register_rows);
  coming.each = calls == 0 ? 0 : (coming.rows * coming.lines + calls - 1) / calls;
  return coming;
}

void multiply_panels(ProductScratch& scratch, float* left, TileView sums, Range rows, Range columns,
                     Range depth, TileWrite write, Coming& coming) {
  for (Index first = 0; first < columns.count; first += panel_columns) {
    const Range panel = part(first, columns.count, panel_columns);
    const TileView a{left, left_stride};
    const TileView b{scratch.right + first * gemm_summation_block, panel_columns};
    const TileView c{sums.data + first, sums.stride};
    if (panel.count > panel_columns - lane_count)
      multiply_columns<register_vectors>(a, b, c, rows.count, depth.count, write, coming);
    else
      multiply_columns<1>(a, b, c, rows.count, depth.count, write, coming);
  }
}

template <class Element>
void store_tile(const Gemm& g, const ConstTensor& bias, Index stride, Range rows, Range columns,
                TileView sums) {
  auto* const c = static_cast<Element*>(g.c.data) + columns.first;
  for (Index r = 0; r < rows.count; ++r)
    for_lanes(columns.count, [&](Index at, Index left) {
      Lanes value = load(sums.data + r * sums.stride + at, left);
      with_element(bias.type, [&](auto* element) {
        if (bias.data != nullptr) value += load(elements(bias, element) + columns.first + at, left);
      });
      store(c + (rows.first + r) * stride + at, value, left);
    });
}

// A block of c, and the depth of this pass over it.
struct Pass {
  Range rows, columns, depth;
  Range next_columns;  // of the block after this one
};

template <class Element>
class Product {
 public:
  Product(const Gemm& g, ProductScratch& scratch)
      : g_(g), strides_(strides_of(g)), scratch_(scratch) {}

  // What fits is packed at once; sums of a c that is not fp32 are not put down half done.
  void multiply() {
    const bool in_passes = g_.c.type == ElementType::fp32;
    const Index deepest = in_passes ? product_blocks * gemm_summation_block : g_.depth;
    for (Index row = 0; row < g_.rows; row += product_rows) {
      const Range rows = part(row, g_.rows, product_rows);
      Index first = 0;
      do {
        multiply_rows(rows, part(first, g_.depth, deepest));
        first += deepest;
      } while (first < g_.depth);
    }
  }

 private:
  void multiply_rows(Range rows, Range depth) {
    kept_ = depth.count <= product_blocks * gemm_summation_block;
    for (Index k = 0; kept_ && k < depth.count; k += gemm_summation_block)
      pack_left<Element>(g_, strides_.a, rows, inner(depth, k), left(k));
    for (Index column = 0; column < g_.columns; column += tile_columns)
      multiply_block({rows, part(column, g_.columns, tile_columns), depth,
                      part(column + tile_columns, g_.columns, tile_columns)});
  }

  void multiply_block(const Pass& pass) {
    const bool lies_right = g_.c.type == ElementType::fp32 && pass.columns.count % lane_count == 0;
    const TileView sums = lies_right ? in_c(pass) : TileView{scratch_.sum, tile_columns};
    const bool adds =
        g_.write == GradientWrite::accumulate || pass.depth.first > 0 || g_.depth == 0;
    if (adds && !lies_right) load_sums(pass);
    if (g_.depth == 0 && g_.write == GradientWrite::overwrite) clear(pass, sums);
    add_products(pass, sums, adds ? TileWrite::add : TileWrite::overwrite);
    const bool done = pass.depth.first + pass.depth.count == g_.depth;
    if (lies_right && !(done && g_.bias.data != nullptr)) return;
    with_element(g_.c.type, [&](auto* element) {
      using Output = std::remove_pointer_t<decltype(element)>;
      store_tile<Output>(g_, done ? g_.bias : ConstTensor{}, strides_.c, pass.rows, pass.columns,
                         sums);
    });
  }

  void add_products(const Pass& pass, TileView sums, TileWrite write) {
    for (Index k = 0; k < pass.depth.count; k += gemm_summation_block) {
      const Range depth = inner(pass.depth, k);
      if (!kept_) pack_left<Element>(g_, strides_.a, pass.rows, depth, left(0));
      pack_right<Element>(g_, strides_.b, pass.columns, depth, scratch_.right);
      Coming coming = coming_after(pass, k);
      multiply_panels(scratch_, left(kept_ ? k : 0), sums, pass.rows, pass.columns, depth, write,
                      coming);
      write = TileWrite::add;
    }
  }

  Coming coming_after(const Pass& pass, Index k) const {
    const Index next = k + gemm_summation_block;
    if (next < pass.depth.count)
      return coming_right(g_, strides_.b, pass.columns, inner(pass.depth, next), pass.rows);
    if (pass.next_columns.count <= 0) return {};
    return coming_right(g_, strides_.b, pass.next_columns, inner(pass.depth, 0), pass.rows);
  }

  static Range inner(Range depth, Index k) {
    const Range within = part(k, depth.count, gemm_summation_block);
    return {depth.first + within.first, within.count};
  }

  float* left(Index k) const {
    return scratch_.left + k / gemm_summation_block * product_rows * left_stride;
  }

  TileView in_c(const Pass& pass) const {
    return {static_cast<float*>(g_.c.data) + pass.rows.first * strides_.c + pass.columns.first,
            strides_.c};
  }

  void clear(const Pass& pass, TileView sums) const {
    for (Index r = 0; r < pass.rows.count; ++r)
      for_lanes(pass.columns.count, [&](Index at, Index left) {
        store(sums.data + r * sums.stride + at, Lanes{}, left);
      });
  }

  void load_sums(const Pass& pass) const {
    if (g_.depth == 0 && g_.write == GradientWrite::overwrite) return;
    const TileView c = in_c(pass);
    pack_rows(c.data, c.stride, pass.rows.count, pass.columns.count, {scratch_.sum, tile_columns});
  }

  const Gemm& g_;
  Strides strides_;
  ProductScratch& scratch_;
  bool kept_ = false;
};

}  // namespace

void CpuKernels::gemm(const Gemm& g, Stream&) {
  assert(g.a.type == g.b.type);
  assert(g.write == GradientWrite::overwrite ||
         (g.c.type == ElementType::fp32 && g.bias.data == nullptr));
  if (product_ != nullptr && g.depth > 0 && product_->multiply(g)) return;
  with_element(g.a.type, [&](auto* element) {
    Product<std::remove_pointer_t<decltype(element)>>(g, *scratch_).multiply();
  });
}

}  // namespace quintet::kernels::QUINTET_CPU_TARGET
