// Numbers that judge predictions against measurements.
#pragma once

#include <optional>
#include <vector>

namespace quintet {

struct Pair {
  double predicted = 0;
  double measured = 0;  // > 0
  bool operator==(const Pair&) const = default;
};

inline double relative_error(const Pair& pair) {
  return pair.predicted / pair.measured - 1;
}

// The errors are |predicted / measured - 1|; p90 is the smallest that at least 90 % do not exceed;
// bias is the mean of the signed errors. All are 0 without pairs.
struct ErrorSummary {
  int count = 0;
  double mean = 0, median = 0, p90 = 0, largest = 0, bias = 0;
  bool operator==(const ErrorSummary&) const = default;
};
ErrorSummary error_summary(const std::vector<Pair>& pairs);

// Kendall's tau-b: (concordant - discordant) / sqrt(pairs not tied in the one x in the other);
// none when all are tied in one of the two.
std::optional<double> kendall_tau(const std::vector<Pair>& pairs);

// What was said of memory against what happened.
struct MemoryConfusion {
  int ran_and_fits = 0;             // right
  int ran_but_does_not_fit = 0;     // wrong
  int failed_and_does_not_fit = 0;  // right
  int failed_but_fits = 0;          // wrong
  bool operator==(const MemoryConfusion&) const = default;
};
int count(const MemoryConfusion& confusion);
double share_right(const MemoryConfusion& confusion);  // 0 without rows

}  // namespace quintet
