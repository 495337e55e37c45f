// Of many plans judged by two quantities, those that no other beats in both.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace quintet {

// Both are better the smaller they are; none: not known, never on the front.
using JudgedByTwo = std::optional<std::pair<double, double>>;

// One per entry: whether none of the others is as good in both and better in one. Equal ones are on
// the front together. O(n log n).
std::vector<bool> pareto_front(std::span<const JudgedByTwo> all);

}  // namespace quintet
