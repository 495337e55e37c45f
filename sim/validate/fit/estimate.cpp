#include "sim/validate/fit/estimate.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <random>
#include <utility>

namespace quintet {

namespace {

class Losses {
 public:
  explicit Losses(const RowLosses& losses) : losses_(losses) {}

  // Mean over rows, each counted `weights` times.
  double mean(const GridPoint& point, const std::vector<int>& weights) {
    auto found = known_.find(point);
    if (found == known_.end()) {
      found = known_.emplace(point, losses_(point)).first;
      visited_.push_back(point);
    }
    double sum = 0;
    int number = 0;
    for (std::size_t row = 0; row < weights.size(); ++row)
      sum += weights[row] * found->second[row], number += weights[row];
    return number > 0 ? sum / number : 0;
  }

  const std::vector<GridPoint>& visited() const { return visited_; }

 private:
  const RowLosses& losses_;
  std::map<GridPoint, std::vector<double>> known_;
  std::vector<GridPoint> visited_;
};

GridPoint best_visited(Losses& losses, const GridPoint& first, const std::vector<int>& weights) {
  GridPoint best = first;
  double least = losses.mean(first, weights);
  for (const GridPoint& point : losses.visited()) {
    const double here = losses.mean(point, weights);
    if (here < least) best = point, least = here;
  }
  return best;
}

// How often each row is drawn. Not std::uniform_int_distribution: it differs between libraries.
std::vector<int> drawn(const std::vector<int>& unit_of, int units, std::mt19937_64& random) {
  std::vector<int> times(static_cast<std::size_t>(units), 0);
  for (int i = 0; i < units; ++i) ++times[random() % static_cast<std::uint64_t>(units)];
  std::vector<int> weights;
  for (const int unit : unit_of) weights.push_back(times[static_cast<std::size_t>(unit)]);
  return weights;
}

std::vector<int> each_its_own(std::size_t rows) {
  std::vector<int> unit_of(rows);
  for (std::size_t row = 0; row < rows; ++row) unit_of[row] = static_cast<int>(row);
  return unit_of;
}

}  // namespace

Estimates estimate(const std::vector<int>& sizes, const GridPoint& start,
                   const std::vector<int>& group_of, int groups, const RowLosses& row_losses,
                   int resamplings) {
  Losses losses(row_losses);
  Estimates made;
  const std::vector<int> every(group_of.size(), 1);
  const auto search = [&](const GridPoint& from, const std::vector<int>& weights,
                          FirstRound first) {
    const auto loss = [&](const GridPoint& point) { return losses.mean(point, weights); };
    return least_on_grid(sizes, from, loss, first).point;
  };
  made.all = search(start, every, FirstRound::everywhere);
  for (int group = 0; groups > 1 && group < groups; ++group) {
    std::vector<int> weights = every;
    for (std::size_t row = 0; row < weights.size(); ++row)
      if (group_of[row] == group) weights[row] = 0;
    // What the searches before have visited costs nothing.
    made.without.push_back(
        search(best_visited(losses, made.all, weights), weights, FirstRound::nearby));
  }
  const bool by_group = groups >= 3;
  const std::vector<int> unit_of = by_group ? group_of : each_its_own(group_of.size());
  const int units = by_group ? groups : static_cast<int>(group_of.size());
  std::mt19937_64 random(20'221'122);
  for (int i = 0; i < resamplings; ++i)
    made.resampled.push_back(best_visited(losses, made.all, drawn(unit_of, units, random)));
  return made;
}

PositionSpread ninety_percent(const std::vector<GridPoint>& points, std::size_t dimension) {
  assert(!points.empty());
  std::vector<int> positions;
  for (const GridPoint& point : points) positions.push_back(point[dimension]);
  std::sort(positions.begin(), positions.end());
  const std::size_t tail = positions.size() / 20;
  return {positions[tail], positions[positions.size() - 1 - tail]};
}

}  // namespace quintet
