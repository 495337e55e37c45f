// How well a fit says what it has not seen.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/cost/fit_validity.h"

namespace quintet::calibrate {

// Errors are |fit / real - 1|.
struct FitQuality {
  int samples = 0;
  double median = 0, p90 = 0;            // of what it was fitted to
  double held_median = 0, held_p90 = 0;  // held out
  Residuals residuals;                   // of the held out
  bool operator==(const FitQuality&) const = default;
};

// All three by sample, as many of each and at least one: measured, fitted to all, and fitted to the
// others (held_out()). Values above zero.
FitQuality quality(const std::vector<double>& real, const std::vector<double>& fitted,
                   const std::vector<double>& held_out);

// "624 samples: median 4.5 % p90 13.4 %, held out median 4.6 % p90 14.2 %"
std::string text_of(const FitQuality& quality);

// Every value as predicted by a fit to the other three quarters: fold f holds out values f, f + 4,
// ... in the order given, for f = 0 .. 3. `fit(kept)` returns a predictor of the value at an index.
using Predictor = std::function<double(std::size_t)>;
using FitTo = std::function<Predictor(const std::vector<std::size_t>& kept)>;
std::vector<double> held_out(std::size_t count, const FitTo& fit);

}  // namespace quintet::calibrate
