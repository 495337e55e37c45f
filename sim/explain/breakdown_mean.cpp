#include <algorithm>
#include <map>
#include <utility>

#include "sim/explain/breakdown.h"
#include "sim/explain/mean_parts.h"

namespace quintet {
namespace {

// The scalar rows of the sum beside operators and axes.
constexpr Duration RankBreakdown::*scalar_rows[] = {&RankBreakdown::bubble, &RankBreakdown::waiting,
                                                    &RankBreakdown::copy, &RankBreakdown::host,
                                                    &RankBreakdown::idle};

template <class Row>
RankTime total(const std::vector<RankBreakdown>& breakdowns, Row row) {
  RankTime sum = 0;
  for (const RankBreakdown& rank : breakdowns) sum += rank_time(row(rank), rank.ranks);
  return sum;
}

std::map<std::pair<OperatorKind, Phase>, RankTime> operator_totals(
    const std::vector<RankBreakdown>& breakdowns) {
  std::map<std::pair<OperatorKind, Phase>, RankTime> totals;
  for (const RankBreakdown& rank : breakdowns)
    for (const OperatorTime& time : rank.operators)
      totals[{time.work, time.phase}] += rank_time(time.time, rank.ranks);
  return totals;
}

}  // namespace

RankBreakdown mean(const std::vector<RankBreakdown>& breakdowns) {
  if (breakdowns.empty()) return {};
  RankBreakdown mean{.ranks = 0, .stage = breakdowns.front().stage};
  for (const RankBreakdown& rank : breakdowns) {
    mean.ranks += rank.ranks;
    if (rank.stage != mean.stage) mean.stage = -1;
  }
  const RankTime ranks = mean.ranks;
  mean.step = nearest(total(breakdowns, [](const auto& rank) { return rank.step; }), ranks);

  std::vector<RankTime> totals;
  std::vector<Duration*> parts;
  const auto add = [&](RankTime sum, Duration& part) {
    totals.push_back(sum);
    parts.push_back(&part);
  };
  const auto operators = operator_totals(breakdowns);
  mean.operators.reserve(operators.size());  // parts point into it
  for (const auto& [which, time] : operators) {
    mean.operators.push_back({which.first, which.second, {}});
    add(time, mean.operators.back().time);
  }
  for (std::size_t axis = 0; axis < axis_count; ++axis)
    add(total(breakdowns, [=](const auto& rank) { return rank.exposed[axis]; }),
        mean.exposed[axis]);
  for (const auto row : scalar_rows)
    add(total(breakdowns, [=](const auto& rank) { return rank.*row; }), mean.*row);
  const std::vector<Duration> rounded = mean_parts(totals, ranks, mean.step);
  for (std::size_t i = 0; i < parts.size(); ++i) *parts[i] = rounded[i];

  std::erase_if(mean.operators, [](const OperatorTime& time) { return time.time == Duration{}; });
  for (const OperatorTime& time : mean.operators) mean.compute += time.time;
  for (std::size_t axis = 0; axis < axis_count; ++axis)
    mean.total_communication[axis] = std::max(
        mean.exposed[axis],
        nearest(total(breakdowns, [=](const auto& rank) { return rank.total_communication[axis]; }),
                ranks));
  return mean;
}

}  // namespace quintet
