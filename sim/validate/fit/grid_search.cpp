#include "sim/validate/fit/grid_search.h"

#include <algorithm>
#include <cassert>

namespace quintet {

namespace {

class Search {
 public:
  Search(const std::vector<int>& sizes, const GridPoint& start,
         const std::function<double(const GridPoint&)>& function)
      : sizes_(sizes), function_(function), best_{start, function(start)} {}

  const GridMinimum& best() const { return best_; }

  void everywhere_along(std::size_t dimension) {
    for (int at = 0; at < sizes_[dimension]; at += coarse(dimension)) try_at(dimension, at);
  }

  // Steps to either side for as long as that helps, each half as wide as the one before.
  void nearby_along(std::size_t dimension) {
    for (int step = coarse(dimension); step >= 1; step /= 2)
      for (const int direction : {-step, step})
        while (try_at(dimension, best_.point[dimension] + direction)) {
        }
  }

 private:
  int coarse(std::size_t dimension) const { return std::max(1, sizes_[dimension] / 8); }

  bool try_at(std::size_t dimension, int at) {
    if (at < 0 || at >= sizes_[dimension] || at == best_.point[dimension]) return false;
    GridMinimum next{best_.point, 0};
    next.point[dimension] = at;
    next.value = function_(next.point);
    if (next.value >= best_.value) return false;
    best_ = next;
    return true;
  }

  const std::vector<int>& sizes_;
  const std::function<double(const GridPoint&)>& function_;
  GridMinimum best_;
};

}  // namespace

GridMinimum least_on_grid(const std::vector<int>& sizes, const GridPoint& start,
                          const std::function<double(const GridPoint&)>& function,
                          FirstRound first) {
  assert(sizes.size() == start.size());
  Search search(sizes, start, function);
  constexpr int most_rounds = 10;
  for (int round = 0; round < most_rounds; ++round) {
    const GridPoint before = search.best().point;
    for (std::size_t dimension = 0; dimension < sizes.size(); ++dimension) {
      if (round == 0 && first == FirstRound::everywhere) search.everywhere_along(dimension);
      search.nearby_along(dimension);
    }
    if (search.best().point == before) break;
  }
  return search.best();
}

}  // namespace quintet
