#include "sim/explain/difference/slow_ranks.h"

#include <algorithm>
#include <map>
#include <utility>

#include "sim/base/quantile.h"

namespace quintet {
namespace {

using Which = std::pair<OperatorKind, Phase>;

std::map<Which, double> times_of(const RankBreakdown& rank) {
  std::map<Which, double> times;
  for (const OperatorTime& each : rank.operators)
    times[{each.work, each.phase}] = static_cast<double>(each.time.picoseconds);
  return times;
}

// Measured over predicted, of the ranks where both took time.
std::map<Which, std::vector<double>> ratios_of(const std::vector<RankDifference>& ranks) {
  std::map<Which, std::vector<double>> ratios;
  for (const RankDifference& rank : ranks) {
    const auto predicted = times_of(rank.predicted);
    for (const auto& [which, time] : times_of(rank.measured)) {
      const auto found = predicted.find(which);
      if (found != predicted.end()) ratios[which].push_back(time / found->second);
    }
  }
  return ratios;
}

}  // namespace

std::vector<double> slowness(const std::vector<RankDifference>& ranks) {
  std::map<Which, double> usual;
  for (const auto& [which, all] : ratios_of(ranks)) usual[which] = lower_median(all);
  std::vector<double> found;
  for (const RankDifference& rank : ranks) {
    double expected = 0, measured = 0;
    const auto times = times_of(rank.measured);
    for (const auto& [which, predicted] : times_of(rank.predicted)) {
      const auto time = times.find(which);
      if (time == times.end()) continue;
      expected += predicted * usual.at(which);
      measured += time->second;
    }
    found.push_back(expected > 0 ? measured / expected : 1);
  }
  if (found.empty()) return found;
  const double middle = std::max(1.0, lower_median(found));
  for (double& each : found) each /= middle;
  return found;
}

}  // namespace quintet
