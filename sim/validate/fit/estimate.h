// What rows say of parameters: the estimate, how far it moves when a group of rows (a model) is
// left out, and how sure it is. Knows nothing of what the rows are.
#pragma once

#include <functional>
#include <vector>

#include "sim/validate/fit/grid_search.h"

namespace quintet {

// The loss of each row at a point, 0 or more; always the same number of rows. Asked once per point.
using RowLosses = std::function<std::vector<double>(const GridPoint&)>;

struct Estimates {
  GridPoint all;                   // least mean loss of all rows
  std::vector<GridPoint> without;  // per group: of the rows of all other groups
  // One per resampling, with replacement, of groups (of rows, below three groups): the best of the
  // points that the searches above have visited.
  std::vector<GridPoint> resampled;
};

// `group_of`: of each row, 0 to groups - 1, each used. With one group nothing is left out.
Estimates estimate(const std::vector<int>& sizes, const GridPoint& start,
                   const std::vector<int>& group_of, int groups, const RowLosses& losses,
                   int resamplings);

// The range of the resampled points' positions along a dimension, with 5 % below it and 5 % above.
struct PositionSpread {
  int low = 0, high = 0;
  bool operator==(const PositionSpread&) const = default;
};
PositionSpread ninety_percent(const std::vector<GridPoint>& points, std::size_t dimension);

}  // namespace quintet
