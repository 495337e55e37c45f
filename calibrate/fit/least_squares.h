// Parameters of a formula from measurements: Levenberg and Marquardt's damped Gauss-Newton
// (Marquardt, J. SIAM 11 (1963)), robust. The problems here have up to 20 parameters and a few
// hundred measurements: a library (Ceres) would be a hundred times the code this is.
#pragma once

#include <functional>
#include <vector>

namespace quintet::calibrate {

// x of matrix x = right; `matrix` by rows, square, Gaussian elimination with row pivots. A matrix
// that is singular to rounding gives the solution with those unknowns at zero.
std::vector<double> solve(std::vector<double> matrix, std::vector<double> right);

struct LeastSquaresOptions {
  // Residuals beyond this count by their root rather than their square (soft L1), so that a time
  // ten times too long pulls no more than one that is a little off.
  double scale = 0.05;
  int most_steps = 100;
  double difference = 1e-3;  // of a parameter (of 1 where it is less), for derivatives
};

// Parameters that minimise the sum of 2 scale^2 (sqrt(1 + (r/scale)^2) - 1) over the residuals
// `residuals(parameters)`, from `start` downhill; where a residual is not finite, the step there is
// refused.
using ResidualsOf = std::function<std::vector<double>(const std::vector<double>&)>;
struct LeastSquaresFit {
  std::vector<double> parameters;
  double cost = 0;
};
LeastSquaresFit least_squares(const ResidualsOf& residuals, std::vector<double> start,
                              const LeastSquaresOptions& options = {});

// The best of several starts: the one given, and `more` about 0.2 from it (the same every time).
LeastSquaresFit least_squares_from_several(const ResidualsOf& residuals, std::vector<double> start,
                                           int more, const LeastSquaresOptions& options = {});

}  // namespace quintet::calibrate
