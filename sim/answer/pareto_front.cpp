#include "sim/answer/pareto_front.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace quintet {

std::vector<bool> pareto_front(std::span<const JudgedByTwo> all) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i]) order.push_back(i);
  std::sort(order.begin(), order.end(),
            [&](std::size_t left, std::size_t right) { return *all[left] < *all[right]; });
  std::vector<bool> front(all.size(), false);
  // In ascending order of the first, one is beaten where an earlier one has as little of the
  // second; of those with one first, only the least of the second can be on the front.
  double least = std::numeric_limits<double>::infinity();
  const std::pair<double, double>* last = nullptr;
  for (const std::size_t i : order) {
    const bool same = last != nullptr && *last == *all[i];
    if (!same && all[i]->second >= least && last != nullptr) continue;
    front[i] = true;
    least = all[i]->second;
    last = &*all[i];
  }
  return front;
}

namespace {

// As small in all; equal ones count.
bool as_good(const Judged& one, const Judged& other) {
  for (std::size_t i = 0; i < one.size(); ++i)
    if (!(one[i] <= other[i])) return false;
  return true;
}

}  // namespace

std::vector<bool> pareto_front_by_many(std::span<const Judged> all) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!all[i].empty()) order.push_back(i);
  std::sort(order.begin(), order.end(),
            [&](std::size_t left, std::size_t right) { return all[left] < all[right]; });
  // In ascending order of the first, then of the second and so on, whoever beats one comes before
  // it, and is on the front or beaten by one that is.
  std::vector<bool> front(all.size(), false);
  std::vector<std::size_t> found;
  for (const std::size_t i : order) {
    front[i] = std::none_of(found.begin(), found.end(), [&](std::size_t other) {
      return as_good(all[other], all[i]) && all[other] != all[i];
    });
    if (front[i]) found.push_back(i);
  }
  return front;
}

}  // namespace quintet
