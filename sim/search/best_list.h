// Candidates that were judged, in a total order, so that who finds them first does not matter. Of
// those that come out alike on one machine, which differ in decisions without effect, the one with
// the lowest number stands for all.
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
  std::uint32_t machine = 0;
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
    const auto same = alike(found);
    if (same != all_.end() && same->number <= found.number) return;
    if (same != all_.end()) all_.erase(same);
    const auto at = std::lower_bound(all_.begin(), all_.end(), found, before);
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
  std::vector<Found>::iterator alike(const Found& found) {
    const auto less = [](const Found& each, double objective) {
      return each.objective < objective;
    };
    auto at = std::lower_bound(all_.begin(), all_.end(), found.objective, less);
    for (; at != all_.end() && at->objective == found.objective; ++at)
      if (at->machine == found.machine && at->estimate == found.estimate) return at;
    return all_.end();
  }

  std::size_t most_;
  std::vector<Found> all_;
};

}  // namespace quintet
