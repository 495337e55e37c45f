#include "kernels/cosine.h"

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/memory.h"

namespace quintet::kernels::QUINTET_CPU_TARGET {
namespace {

constexpr double pi = 3.14159265358979323846;

// Taylor's series on [0, pi / 4], made here for the same bits everywhere: 1 - x^2 / (1 2) (1 - x^2
// / (3 4) (...)) is cos(x); with 2 3, 4 5 ... instead it is sin(x) / x.
double series(double x, int shift) {
  double sum = 1.0;
  for (int term = 21; term >= 1; term -= 2)
    sum = 1.0 - x * x / static_cast<double>((term + shift) * (term + shift + 1)) * sum;
  return sum;
}

// cos(pi m / (2 n)).
double cosine(Index m, Index n) {
  m %= 4 * n;
  if (m > 2 * n) m = 4 * n - m;
  const bool negative = m > n;
  if (negative) m = 2 * n - m;
  const double quarter = pi / 2.0 / static_cast<double>(n);
  const double angle = quarter * static_cast<double>(m),
               rest = quarter * static_cast<double>(n - m);
  const double value = 2 * m <= n ? series(angle, 0) : rest * series(rest, 1);
  return negative ? -value : value;
}

// B [i][j], or its transpose.
struct Basis {
  double of[longest_chunk][longest_chunk];
  Basis(Index n, bool transposed) {
    double turn[4 * longest_chunk];
    for (Index m = 0; m < 4 * n; ++m) turn[m] = cosine(m, n);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) {
        const double scale = __builtin_sqrt((i == 0 ? 1.0 : 2.0) / static_cast<double>(n));
        (transposed ? of[j][i] : of[i][j]) = scale * turn[(2 * j + 1) * i % (4 * n)];
      }
  }
};

using Chunk = double[longest_chunk][longest_chunk];

struct Bases {
  Basis down, across;  // of chunk rows; of chunk columns, transposed
};

void transform(const Bases& bases, Index rows, Index columns, Chunk& chunk) {
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

// Where a chunk's rows lie in the tensor.
struct Place {
  Index first, step;
};

Place in_tensor(const Chunks& c, Index number) {
  const Index in_line = c.columns / c.chunk_columns;
  return {number / in_line * c.chunk_rows * c.columns + number % in_line * c.chunk_columns,
          c.columns};
}

}  // namespace

void CpuKernels::cosine_transform(const CosineTransform& a, Stream&) {
  const Chunks& c = a.chunks;
  assert(c.chunk_rows <= longest_chunk && c.chunk_columns <= longest_chunk);
  assert(c.rows % c.chunk_rows == 0 && c.columns % c.chunk_columns == 0);
  const bool forward = a.direction == CosineDirection::forward;
  const Bases bases{Basis(c.chunk_rows, !forward), Basis(c.chunk_columns, forward)};
  for (Index number = 0; number < chunk_count(c); ++number) {
    const Place tensor = in_tensor(c, number), list{number * chunk_size(c), c.chunk_columns};
    const Place from = forward ? tensor : list, to = forward ? list : tensor;
    Chunk chunk;
    for (Index r = 0; r < c.chunk_rows; ++r)
      for (Index i = 0; i < c.chunk_columns; ++i)
        chunk[r][i] = static_cast<double>(a.input[from.first + r * from.step + i]);
    transform(bases, c.chunk_rows, c.chunk_columns, chunk);
    for (Index r = 0; r < c.chunk_rows; ++r)
      for (Index i = 0; i < c.chunk_columns; ++i)
        a.output[to.first + r * to.step + i] = static_cast<float>(chunk[r][i]);
  }
}

}  // namespace quintet::kernels::QUINTET_CPU_TARGET
