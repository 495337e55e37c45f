// The least of a function on a grid of few dimensions, by cyclic coordinate search: along each
// dimension steps that halve from an eighth of it to one point, until no dimension helps. Needs no
// derivatives and no smoothness; deterministic. May end in a local minimum.
#pragma once

#include <functional>
#include <vector>

namespace quintet {

using GridPoint = std::vector<int>;  // 0 to the dimension's size - 1

struct GridMinimum {
  GridPoint point;
  double value = 0;
  bool operator==(const GridMinimum&) const = default;
};

// Whether the first round looks at every eighth of a dimension, or only around the start.
enum class FirstRound { everywhere, nearby };

// `sizes`: points per dimension, 1 or more; `start` is kept unless something is truly less.
GridMinimum least_on_grid(const std::vector<int>& sizes, const GridPoint& start,
                          const std::function<double(const GridPoint&)>& function,
                          FirstRound first = FirstRound::everywhere);

}  // namespace quintet
