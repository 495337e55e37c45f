// A plain loop: the reference for GPUs. Training in 8 bits on a CPU would gain nothing.
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
  Values values;
  Index lines, depth;
  float at(Index line, Index k) const { return values.of[matrix.codes[line * depth + k].bits]; }
  float scale(Index line, Index k) const {
    return matrix.scales[scale_place(matrix.blocks, lines, depth, line, k)];
  }
};

float sum_of(const Float8Gemm& g, const Factor& a, const Factor& b, Index row, Index column) {
  const bool in_blocks = g.a.blocks != ScaleBlocks::tensor || g.b.blocks != ScaleBlocks::tensor;
  const Index block = in_blocks ? scale_block : g.depth;
  float sum = 0.0F;
  for (Index first = 0; first < g.depth; first += block) {
    const Index end = first + block < g.depth ? first + block : g.depth;
    float of_block = 0.0F;
    for (Index k = first; k < end; ++k) of_block += a.at(row, k) * b.at(column, k);
    sum += of_block * (a.scale(row, first) * b.scale(column, first));
  }
  return sum;
}

template <class Element>
void multiply(const Float8Gemm& g, Element* c) {
  const Factor a{g.a, Values(g.a.form), g.rows, g.depth};
  const Factor b{g.b, Values(g.b.form), g.columns, g.depth};
  for (Index row = 0; row < g.rows; ++row)
    for (Index column = 0; column < g.columns; ++column) {
      Element* const to = c + row * g.columns + column;
      const float before = g.write == GradientWrite::accumulate ? load_one(to) : 0.0F;
      store_one(to, before + sum_of(g, a, b, row, column));
    }
}

}  // namespace

void CpuKernels::float8_gemm(const Float8Gemm& g, Stream&) {
  assert(g.write == GradientWrite::overwrite || g.c.type == ElementType::fp32);
  with_element(g.c.type, [&](auto* kind) { multiply(g, elements(g.c, kind)); });
}

}  // namespace quintet::kernels::QUINTET_CPU_TARGET
