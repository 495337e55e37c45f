// The least of a function on a grid of few dimensions, by cyclic coordinate search: along each
// dimension every eighth of the grid, then ever finer around the best, until no dimension helps.
// Deterministic; needs no derivatives and no smoothness, may end in a local minimum.
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

// `sizes`: points per dimension, 1 or more; `start` is kept unless something is truly less.
// `width`: how far from the best a dimension is searched at first, as a share of its size.
GridMinimum least_on_grid(const std::vector<int>& sizes, const GridPoint& start,
                          const std::function<double(const GridPoint&)>& function,
                          double width = 1.0);

}  // namespace quintet
