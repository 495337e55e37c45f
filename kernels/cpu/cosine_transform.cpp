// The reference in double; where the target fuses, by products in fp32.
#include "kernels/cpu/cpu_kernels.h"
#if defined(QUINTET_FUSED)
#include "kernels/cpu/cosine_products.h"
#else
#include "kernels/cpu/cosine_basis.h"
#endif

namespace quintet::kernels::QUINTET_CPU_TARGET {

#if !defined(QUINTET_FUSED)
namespace {

using Chunk = double[longest_chunk][longest_chunk];

void transform(const Bases<double>& bases, Index rows, Index columns, Chunk& chunk) {
  Chunk half = {};
  for (Index r = 0; r < rows; ++r)
    for (Index k = 0; k < columns; ++k)
      for (Index c = 0; c < columns; ++c) half[r][c] += chunk[r][k] * bases.across.of[k][c];
  for (Index r = 0; r < rows; ++r) {
    for (Index c = 0; c < columns; ++c) chunk[r][c] = 0.0;
    for (Index k = 0; k < rows; ++k)
      for (Index c = 0; c < columns; ++c) chunk[r][c] += bases.down.of[r][k] * half[k][c];
  }
}

void transform_in_double(const CosineTransform& a) {
  const Chunks& c = a.chunks;
  const Bases<double> bases(a);
  for (Index number = 0; number < chunk_count(c); ++number) {
    const FromTo place = places(a, number);
    Chunk chunk;
    for (Index r = 0; r < c.chunk_rows; ++r)
      for (Index i = 0; i < c.chunk_columns; ++i)
        chunk[r][i] = static_cast<double>(a.input[place.from.first + r * place.from.step + i]);
    transform(bases, c.chunk_rows, c.chunk_columns, chunk);
    for (Index r = 0; r < c.chunk_rows; ++r)
      for (Index i = 0; i < c.chunk_columns; ++i)
        a.output[place.to.first + r * place.to.step + i] = static_cast<float>(chunk[r][i]);
  }
}

}  // namespace
#endif

void CpuKernels::cosine_transform(const CosineTransform& a, Stream&) {
  [[maybe_unused]] const Chunks& c = a.chunks;
  assert(c.chunk_rows <= longest_chunk && c.chunk_columns <= longest_chunk);
  assert(c.rows % c.chunk_rows == 0 && c.columns % c.chunk_columns == 0);
#if defined(QUINTET_FUSED)
  transform_by_products(a);
#else
  transform_in_double(a);
#endif
}

}  // namespace quintet::kernels::QUINTET_CPU_TARGET
