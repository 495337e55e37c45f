#include "sim/validate/statistics.h"

#include <algorithm>
#include <cmath>

#include "sim/base/quantile.h"

namespace quintet {

namespace {

int sign(double value) {
  return (value > 0) - (value < 0);
}

}  // namespace

ErrorSummary error_summary(const std::vector<Pair>& pairs) {
  ErrorSummary summary;
  if (pairs.empty()) return summary;
  std::vector<double> sizes;
  for (const Pair& pair : pairs) {
    const double error = relative_error(pair);
    sizes.push_back(std::abs(error));
    summary.mean += std::abs(error);
    summary.bias += error;
  }
  const auto number = static_cast<double>(pairs.size());
  summary.count = static_cast<int>(pairs.size());
  summary.mean /= number;
  summary.bias /= number;
  summary.median = median(sizes);
  summary.p90 = quantile_reached(sizes, 0.9);
  summary.largest = *std::max_element(sizes.begin(), sizes.end());
  return summary;
}

std::optional<double> kendall_tau(const std::vector<Pair>& pairs) {
  double agreement = 0, untied_predicted = 0, untied_measured = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    for (std::size_t j = i + 1; j < pairs.size(); ++j) {
      const int predicted = sign(pairs[i].predicted - pairs[j].predicted);
      const int measured = sign(pairs[i].measured - pairs[j].measured);
      agreement += predicted * measured;
      untied_predicted += predicted != 0;
      untied_measured += measured != 0;
    }
  if (untied_predicted == 0 || untied_measured == 0) return std::nullopt;
  return agreement / std::sqrt(untied_predicted * untied_measured);
}

int count(const MemoryConfusion& confusion) {
  return confusion.ran_and_fits + confusion.ran_but_does_not_fit +
         confusion.failed_and_does_not_fit + confusion.failed_but_fits;
}

double share_right(const MemoryConfusion& confusion) {
  const int all = count(confusion);
  const int right = confusion.ran_and_fits + confusion.failed_and_does_not_fit;
  return all == 0 ? 0 : static_cast<double>(right) / all;
}

}  // namespace quintet
