// Of many plans judged by two quantities or more, those that no other beats in all of them.
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

// By any number of quantities, all of them better the smaller they are. Empty: not known, never on
// the front.
using Judged = std::vector<double>;

// The same for entries of one length. O(n log n + n f) comparisons, where f are those on the front.
std::vector<bool> pareto_front_by_many(std::span<const Judged> all);

}  // namespace quintet
