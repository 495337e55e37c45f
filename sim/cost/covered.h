// What a fit was made of, so that a prediction can say where it leaves that.
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

}  // namespace quintet
