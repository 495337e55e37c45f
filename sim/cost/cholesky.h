// Symmetric positive definite systems of a few hundred unknowns. Matrices are stored by rows.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace quintet {

// The lower L with L L' = matrix; what stands above the diagonal is not read and is left 0.
// Asserts that the matrix is positive definite.
std::vector<double> cholesky(std::span<const double> matrix, std::size_t size);

// y with L y = right, and x with L' x = right.
std::vector<double> solve_lower(std::span<const double> lower, std::span<const double> right);
std::vector<double> solve_upper(std::span<const double> lower, std::span<const double> right);

}  // namespace quintet
