#include <algorithm>
#include <map>
#include <utility>

#include "sim/timeline/breakdown.h"

namespace quintet {
namespace {

// Picoseconds times ranks: 100 s on 100,000 ranks already pass int64.
__extension__ typedef __int128 Weighted;

Weighted weighted(Duration time, int ranks) {
  return static_cast<Weighted>(time.picoseconds) * ranks;
}

Duration nearest(Weighted total, Weighted ranks) {
  return {static_cast<std::int64_t>((2 * total + ranks) / (2 * ranks))};
}

struct Part {
  Weighted total = 0;
  Duration* rounded = nullptr;
};

// Largest remainders: the parts sum to `whole`.
void round_parts(std::vector<Part>& parts, Weighted ranks, Duration whole) {
  for (const Part& part : parts) {
    *part.rounded = {static_cast<std::int64_t>(part.total / ranks)};
    whole = whole - *part.rounded;
  }
  std::stable_sort(parts.begin(), parts.end(), [ranks](const Part& left, const Part& right) {
    return left.total % ranks > right.total % ranks;
  });
  for (std::size_t i = 0; whole > Duration{}; ++i, whole = whole - Duration{1})
    *parts[i].rounded += Duration{1};
}

// The scalar rows of the sum beside operators and axes.
constexpr Duration RankBreakdown::*scalar_rows[] = {&RankBreakdown::bubble, &RankBreakdown::waiting,
                                                    &RankBreakdown::copy, &RankBreakdown::host,
                                                    &RankBreakdown::idle};

template <class Row>
Weighted total(const std::vector<RankBreakdown>& breakdowns, Row row) {
  Weighted sum = 0;
  for (const RankBreakdown& rank : breakdowns) sum += weighted(row(rank), rank.ranks);
  return sum;
}

std::map<std::pair<OperatorKind, Phase>, Weighted> operator_totals(
    const std::vector<RankBreakdown>& breakdowns) {
  std::map<std::pair<OperatorKind, Phase>, Weighted> totals;
  for (const RankBreakdown& rank : breakdowns)
    for (const OperatorTime& time : rank.operators)
      totals[{time.work, time.phase}] += weighted(time.time, rank.ranks);
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
  const Weighted ranks = mean.ranks;
  mean.step = nearest(total(breakdowns, [](const auto& rank) { return rank.step; }), ranks);

  std::vector<Part> parts;
  const auto operators = operator_totals(breakdowns);
  mean.operators.reserve(operators.size());  // parts point into it
  for (const auto& [which, time] : operators) {
    mean.operators.push_back({which.first, which.second, {}});
    parts.push_back({time, &mean.operators.back().time});
  }
  for (std::size_t axis = 0; axis < axis_count; ++axis)
    parts.push_back({total(breakdowns, [=](const auto& rank) { return rank.exposed[axis]; }),
                     &mean.exposed[axis]});
  for (const auto row : scalar_rows)
    parts.push_back({total(breakdowns, [=](const auto& rank) { return rank.*row; }), &(mean.*row)});
  round_parts(parts, ranks, mean.step);

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
