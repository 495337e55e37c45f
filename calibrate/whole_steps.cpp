#include "calibrate/whole_steps.h"

#include <algorithm>
#include <cassert>

namespace quintet::calibrate {
namespace {

struct Weighted {
  double value = 0, weight = 0;
};

std::vector<Weighted> sorted_ratios(const std::vector<WholeStep>& steps) {
  std::vector<Weighted> all;
  for (const WholeStep& each : steps)
    all.push_back({each.measured / each.predicted, each.measured.value});
  std::sort(all.begin(), all.end(),
            [](const Weighted& left, const Weighted& right) { return left.value < right.value; });
  return all;
}

// Below the i-th of n equal ones another lies with probability i / (n + 1): weights take the place
// of the count, and their effective number (Kish) that of n. The first that has `share` below or at
// it: nothing lies between two ratios, of which one may weigh next to nothing.
double first_with(const std::vector<Weighted>& ordered, double share) {
  double sum = 0, squares = 0;
  for (const Weighted& each : ordered) {
    sum += each.weight;
    squares += each.weight * each.weight;
  }
  const double wanted = share * (sum + squares / sum);
  double below = 0;
  for (const Weighted& each : ordered) {
    below += each.weight;
    if (below >= wanted) return each.value;
  }
  return ordered.back().value;
}

double low_quantile(const std::vector<Weighted>& sorted, double share) {
  return first_with(sorted, share);
}

double high_quantile(const std::vector<Weighted>& sorted, double share) {
  return first_with({sorted.rbegin(), sorted.rend()}, 1 - share);
}

}  // namespace

double median_ratio(const std::vector<WholeStep>& steps) {
  assert(!steps.empty());
  const std::vector<Weighted> sorted = sorted_ratios(steps);
  return (low_quantile(sorted, 0.5) + high_quantile(sorted, 0.5)) / 2;
}

Residuals whole_step_residuals(const std::vector<WholeStep>& steps) {
  if (steps.empty()) return {};
  const std::vector<Weighted> sorted = sorted_ratios(steps);
  return {low_quantile(sorted, 0.05) - 1, high_quantile(sorted, 0.95) - 1,
          static_cast<int>(steps.size())};
}

}  // namespace quintet::calibrate
