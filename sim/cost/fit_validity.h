// How far a fit may be trusted: what it was made of, so that a prediction can say where it leaves
// that, and how far measurements lie from what it says of them.
#pragma once

#include <string>
#include <vector>

namespace quintet {

// The least and the greatest of a quantity: "m", "n", "k" of a GEMM; "length", "heads", "head_dim"
// of attention; "rows", "columns" of a kernel that memory bounds.
struct Covered {
  std::string of;
  double least = 0, most = 0;
  bool operator==(const Covered&) const = default;
};
using CoveredRanges = std::vector<Covered>;

// Quantiles of real / fit - 1 over `samples` measurements that the fit had not seen (left out one
// at a time, or held out); none: not known.
struct Residuals {
  double p05 = 0, p95 = 0;
  int samples = 0;
  bool operator==(const Residuals&) const = default;
};

}  // namespace quintet
