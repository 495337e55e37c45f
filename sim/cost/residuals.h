// How far measurements lie from what a fit says of them.
#pragma once

namespace quintet {

// Quantiles of real / fit - 1 over `samples` measurements that the fit had not seen (left out one
// at a time, or held out); none: not known.
struct Residuals {
  double p05 = 0, p95 = 0;
  int samples = 0;
  bool operator==(const Residuals&) const = default;
};

}  // namespace quintet
