// Candidates that were judged, in a total order, so that who finds them first does not matter.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include "sim/search/evaluator.h"

namespace quintet {

struct Found {
  double objective = 0;
  std::uint64_t number = 0;
  StepEstimate estimate;
  bool operator==(const Found&) const = default;
};

// By the objective, and of equals the lower number.
inline bool before(const Found& left, const Found& right) {
  return std::tie(left.objective, left.number) < std::tie(right.objective, right.number);
}

// The best so many of all that were added.
class BestList {
 public:
  explicit BestList(std::size_t most) : most_(most) {}

  void add(const Found& found) {
    const auto at = std::lower_bound(all_.begin(), all_.end(), found, before);
    if (at != all_.end() && at->number == found.number) return;
    if (static_cast<std::size_t>(at - all_.begin()) >= most_) return;
    all_.insert(at, found);
    if (all_.size() > most_) all_.pop_back();
  }
  // What is worse than this can be no more on the list.
  double worst() const {
    return all_.size() < most_ ? std::numeric_limits<double>::infinity() : all_.back().objective;
  }
  const std::vector<Found>& all() const { return all_; }

 private:
  std::size_t most_;
  std::vector<Found> all_;
};

}  // namespace quintet
