#include "calibrate/fit/fit_quality.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "sim/base/quantile.h"
#include "sim/base/text_table.h"

namespace quintet::calibrate {
namespace {

std::vector<double> errors(const std::vector<double>& real, const std::vector<double>& fitted) {
  std::vector<double> all;
  for (std::size_t i = 0; i < real.size(); ++i) all.push_back(std::abs(fitted[i] / real[i] - 1));
  return all;
}

}  // namespace

FitQuality quality(const std::vector<double>& real, const std::vector<double>& fitted,
                   const std::vector<double>& held) {
  assert(real.size() == fitted.size() && real.size() == held.size() && !real.empty());
  std::vector<double> residuals;
  for (std::size_t i = 0; i < real.size(); ++i) residuals.push_back(real[i] / held[i] - 1);
  const int count = static_cast<int>(real.size());
  return {count,
          quantile(errors(real, fitted), 0.5),
          quantile(errors(real, fitted), 0.9),
          quantile(errors(real, held), 0.5),
          quantile(errors(real, held), 0.9),
          {quantile_of_unseen(residuals, 0.05), quantile_of_unseen(residuals, 0.95), count}};
}

std::string text_of(const FitQuality& quality) {
  return fmt::format("{} samples: median {} p90 {}, held out median {} p90 {}", quality.samples,
                     percent(quality.median), percent(quality.p90), percent(quality.held_median),
                     percent(quality.held_p90));
}

std::vector<double> held_out(std::size_t count, const FitTo& fit) {
  constexpr std::size_t folds = 4;
  std::vector<double> predicted(count);
  for (std::size_t fold = 0; fold < std::min(folds, count); ++fold) {
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < count; ++i)
      if (i % folds != fold) kept.push_back(i);
    const Predictor predictor = fit(kept);
    for (std::size_t i = fold; i < count; i += folds) predicted[i] = predictor(i);
  }
  return predicted;
}

}  // namespace quintet::calibrate
