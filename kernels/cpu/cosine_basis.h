// The matrix of the cosine transform (kernels/cosine.h), and where a chunk lies.
#pragma once

#include "kernels/cosine.h"
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

enum class BasisForm { straight, transposed };

// B [i][j], or its transpose; in a wider row the rest is 0.
template <class Number>
struct Basis {
  alignas(64) Number of[longest_chunk][longest_chunk] = {};
  Basis(Index n, BasisForm form) {
    double turn[4 * longest_chunk];
    for (Index m = 0; m < 4 * n; ++m) turn[m] = cosine(m, n);
    for (Index i = 0; i < n; ++i) {
      const double scale = __builtin_sqrt((i == 0 ? 1.0 : 2.0) / static_cast<double>(n));
      for (Index j = 0; j < n; ++j)
        (form == BasisForm::transposed ? of[j][i] : of[i][j]) =
            static_cast<Number>(scale * turn[(2 * j + 1) * i % (4 * n)]);
    }
  }
};

// A chunk becomes down chunk across.
template <class Number>
struct Bases {
  Basis<Number> down, across;
  explicit Bases(const CosineTransform& a)
      : down(a.chunks.chunk_rows,
             a.direction == CosineDirection::forward ? BasisForm::straight : BasisForm::transposed),
        across(a.chunks.chunk_columns, a.direction == CosineDirection::forward
                                           ? BasisForm::transposed
                                           : BasisForm::straight) {}
};

// Where a chunk's rows lie in the tensor, or in the list of chunks.
struct Place {
  Index first, step;
};

struct FromTo {
  Place from, to;
};

FromTo places(const CosineTransform& a, Index number) {
  const Chunks& c = a.chunks;
  const Index in_line = c.columns / c.chunk_columns;
  const Place tensor{
      number / in_line * c.chunk_rows * c.columns + number % in_line * c.chunk_columns, c.columns};
  const Place list{number * chunk_size(c), c.chunk_columns};
  return a.direction == CosineDirection::forward ? FromTo{tensor, list} : FromTo{list, tensor};
}

}  // namespace
}  // namespace quintet::kernels::QUINTET_CPU_TARGET
