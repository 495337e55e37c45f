#include "calibrate/fit/least_squares.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

namespace quintet::calibrate {
namespace {

using Values = std::vector<double>;

double cost_of(const Values& residuals, double scale) {
  double sum = 0;
  for (const double each : residuals) {
    const double relative = each / scale;
    sum += 2 * scale * scale * (std::sqrt(1 + relative * relative) - 1);
  }
  return std::isfinite(sum) ? sum : std::numeric_limits<double>::infinity();
}

// Columns of derivatives, one per parameter.
std::vector<Values> derivatives(const ResidualsOf& residuals, const Values& at, const Values& here,
                                double difference) {
  std::vector<Values> columns;
  for (std::size_t i = 0; i < at.size(); ++i) {
    Values beside = at;
    const double step = difference * std::max(1.0, std::abs(at[i]));
    beside[i] += step;
    Values column = residuals(beside);
    for (std::size_t row = 0; row < column.size(); ++row) {
      column[row] = (column[row] - here[row]) / step;
      if (!std::isfinite(column[row])) column[row] = 0;
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

// Soft L1 as weights of squares: w = 1 / sqrt(1 + (r/scale)^2).
struct Normal {
  Values matrix, right;
};
Normal normal_equations(const std::vector<Values>& columns, const Values& here, double scale) {
  const std::size_t count = columns.size();
  Normal normal{Values(count * count), Values(count)};
  for (std::size_t row = 0; row < here.size(); ++row) {
    const double relative = here[row] / scale;
    const double weight = 1 / std::sqrt(1 + relative * relative);
    for (std::size_t i = 0; i < count; ++i) {
      normal.right[i] -= weight * columns[i][row] * here[row];
      for (std::size_t j = 0; j < count; ++j)
        normal.matrix[i * count + j] += weight * columns[i][row] * columns[j][row];
    }
  }
  return normal;
}

Values damped_step(const Normal& normal, double damping) {
  const std::size_t count = normal.right.size();
  Values matrix = normal.matrix;
  for (std::size_t i = 0; i < count; ++i)
    matrix[i * count + i] += damping * std::max(normal.matrix[i * count + i], 1e-9);
  return solve(std::move(matrix), normal.right);
}

}  // namespace

std::vector<double> solve(std::vector<double> matrix, std::vector<double> right) {
  const std::size_t count = right.size();
  assert(matrix.size() == count * count);
  const auto at = [&](std::size_t row, std::size_t column) -> double& {
    return matrix[row * count + column];
  };
  double largest = 0;
  for (const double each : matrix) largest = std::max(largest, std::abs(each));
  for (std::size_t column = 0; column < count; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column + 1; row < count; ++row)
      if (std::abs(at(row, column)) > std::abs(at(pivot, column))) pivot = row;
    if (std::abs(at(pivot, column)) <= 1e-14 * largest) continue;
    for (std::size_t other = 0; other < count; ++other)
      std::swap(at(pivot, other), at(column, other));
    std::swap(right[pivot], right[column]);
    for (std::size_t row = column + 1; row < count; ++row) {
      const double factor = at(row, column) / at(column, column);
      for (std::size_t other = column; other < count; ++other)
        at(row, other) -= factor * at(column, other);
      right[row] -= factor * right[column];
    }
  }
  for (std::size_t row = count; row-- > 0;) {
    for (std::size_t column = row + 1; column < count; ++column)
      right[row] -= at(row, column) * right[column];
    right[row] = std::abs(at(row, row)) <= 1e-14 * largest ? 0 : right[row] / at(row, row);
  }
  return right;
}

LeastSquaresFit least_squares(const ResidualsOf& residuals, std::vector<double> start,
                              const LeastSquaresOptions& options) {
  Values here = residuals(start);
  LeastSquaresFit fit{std::move(start), cost_of(here, options.scale)};
  double damping = 1e-2;
  for (int step = 0; step < options.most_steps && damping < 1e10; ++step) {
    const Normal normal = normal_equations(
        derivatives(residuals, fit.parameters, here, options.difference), here, options.scale);
    bool better = false;
    while (!better && damping < 1e10) {
      const Values change = damped_step(normal, damping);
      Values next = fit.parameters;
      for (std::size_t i = 0; i < next.size(); ++i) next[i] += change[i];
      Values there = residuals(next);
      const double cost = cost_of(there, options.scale);
      better = cost < fit.cost;
      damping *= better ? 0.3 : 4;
      if (!better) continue;
      const bool done = fit.cost - cost < 1e-8 * fit.cost;
      fit = {std::move(next), cost};
      here = std::move(there);
      if (done) return fit;
    }
  }
  return fit;
}

LeastSquaresFit least_squares_from_several(const ResidualsOf& residuals, std::vector<double> start,
                                           int more, const LeastSquaresOptions& options) {
  LeastSquaresFit best = least_squares(residuals, start, options);
  std::mt19937 random(1);
  for (int attempt = 0; attempt < more; ++attempt) {
    Values other = start;
    // A sum of uniform numbers: the library's normal ones differ from platform to platform.
    for (double& each : other) {
      double sum = 0;
      for (int part = 0; part < 12; ++part) sum += static_cast<double>(random()) / 4294967296.0;
      each += 0.2 * (sum - 6);
    }
    LeastSquaresFit found = least_squares(residuals, std::move(other), options);
    if (found.cost < best.cost) best = std::move(found);
  }
  return best;
}

}  // namespace quintet::calibrate
