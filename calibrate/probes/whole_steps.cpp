#include "calibrate/probes/whole_steps.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>

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

struct Sums {
  double weights = 0, squares = 0;
  double effective_number() const { return weights * weights / squares; }  // Kish
};

Sums sums_of(const std::vector<Weighted>& all) {
  Sums sums;
  for (const Weighted& each : all) {
    sums.weights += each.weight;
    sums.squares += each.weight * each.weight;
  }
  return sums;
}

// Below the i-th of n equal ones another lies with probability i / (n + 1): weights take the place
// of the count, and their effective number that of n. The first that has `share` below or at it:
// nothing lies between two ratios, of which one may weigh next to nothing.
double first_with(const std::vector<Weighted>& ordered, double share) {
  const Sums sums = sums_of(ordered);
  const double wanted = share * sums.weights * (1 + 1 / sums.effective_number());
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

// All steps of a form together.
std::vector<WholeStep> one_of_each_form(const std::vector<WholeStep>& steps) {
  std::map<std::string, WholeStep> forms;
  for (const WholeStep& each : steps) {
    WholeStep& form = forms[each.form];
    form.measured += each.measured;
    form.predicted += each.predicted;
  }
  std::vector<WholeStep> all;
  for (const auto& [name, form] : forms) all.push_back(form);
  return all;
}

}  // namespace

Seconds time_off(const std::vector<WholeStep>& steps) {
  Seconds sum;
  for (const WholeStep& each : steps)
    sum += std::max(each.measured, each.predicted) - std::min(each.measured, each.predicted);
  return sum;
}

// So many of n lie below the median as heads fall in n throws: half of them, give or take 1.645
// times half the root of n.
double proven_ratio(const std::vector<WholeStep>& steps) {
  assert(!steps.empty());
  const std::vector<Weighted> sorted = sorted_ratios(one_of_each_form(steps));
  const double margin = 1.645 / 2 / std::sqrt(sums_of(sorted).effective_number());
  const double low = low_quantile(sorted, std::max(0.0, 0.5 - margin));
  const double high = high_quantile(sorted, std::min(1.0, 0.5 + margin));
  return std::clamp(1.0, std::min(low, high), std::max(low, high));
}

Residuals whole_step_residuals(const std::vector<WholeStep>& steps) {
  if (steps.empty()) return {};
  const std::vector<Weighted> sorted = sorted_ratios(steps);
  return {low_quantile(sorted, 0.05) - 1, high_quantile(sorted, 0.95) - 1,
          static_cast<int>(steps.size())};
}

}  // namespace quintet::calibrate
