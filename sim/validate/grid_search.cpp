#include "sim/validate/grid_search.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace quintet {

namespace {

using Function = std::function<double(const GridPoint&)>;

// Steps along one dimension, from the best point so far.
void search_along(std::size_t dimension, int size, int reach, const Function& function,
                  GridMinimum& best) {
  for (int step = std::max(1, reach / 8); step >= 1; step /= 2) {
    const int centre = best.point[dimension];
    // At the coarsest step the whole reach, then the two neighbours on either side.
    const int far = step == std::max(1, reach / 8) ? reach : 2 * step;
    for (int at = centre - far / step * step; at <= centre + far; at += step) {
      if (at < 0 || at >= size || at == centre) continue;
      GridMinimum next{best.point, 0};
      next.point[dimension] = at;
      next.value = function(next.point);
      if (next.value < best.value) best = next;
    }
  }
}

}  // namespace

GridMinimum least_on_grid(const std::vector<int>& sizes, const GridPoint& start,
                          const Function& function, double width) {
  assert(sizes.size() == start.size());
  GridMinimum best{start, function(start)};
  constexpr int most_rounds = 10;
  for (int round = 0; round < most_rounds; ++round) {
    const GridPoint before = best.point;
    for (std::size_t dimension = 0; dimension < sizes.size(); ++dimension) {
      const double share = round == 0 ? width : width / 4;
      const int reach = std::max(1, static_cast<int>(std::lround(share * sizes[dimension])));
      search_along(dimension, sizes[dimension], reach, function, best);
    }
    if (best.point == before) break;
  }
  return best;
}

}  // namespace quintet
