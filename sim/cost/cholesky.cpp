#include "sim/cost/cholesky.h"

#include <cassert>
#include <cmath>
#include <numeric>

namespace quintet {

std::vector<double> cholesky(std::span<const double> matrix, std::size_t size) {
  assert(matrix.size() == size * size);
  std::vector<double> lower(size * size, 0.0);
  for (std::size_t row = 0; row < size; ++row)
    for (std::size_t column = 0; column <= row; ++column) {
      const double* const left = lower.data() + row * size;
      const double* const right = lower.data() + column * size;
      const double rest =
          matrix[row * size + column] - std::inner_product(left, left + column, right, 0.0);
      if (row == column) {
        assert(rest > 0);
        lower[row * size + row] = std::sqrt(rest);
      } else {
        lower[row * size + column] = rest / right[column];
      }
    }
  return lower;
}

std::vector<double> solve_lower(std::span<const double> lower, std::span<const double> right) {
  const std::size_t size = right.size();
  std::vector<double> solution(right.begin(), right.end());
  for (std::size_t row = 0; row < size; ++row) {
    const double* const line = lower.data() + row * size;
    solution[row] -= std::inner_product(line, line + row, solution.data(), 0.0);
    solution[row] /= line[row];
  }
  return solution;
}

std::vector<double> solve_upper(std::span<const double> lower, std::span<const double> right) {
  const std::size_t size = right.size();
  std::vector<double> solution(right.begin(), right.end());
  for (std::size_t row = size; row-- > 0;) {
    solution[row] /= lower[row * size + row];
    for (std::size_t above = 0; above < row; ++above)
      solution[above] -= lower[row * size + above] * solution[row];
  }
  return solution;
}

}  // namespace quintet
