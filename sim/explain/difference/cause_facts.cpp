#include "sim/explain/difference/cause_facts.h"

#include <algorithm>

#include "sim/explain/mean_parts.h"

namespace quintet {
namespace {

double as_double(Duration time) {
  return static_cast<double>(time.picoseconds);
}

}  // namespace

double ratio(const Compared& time) {
  return time.predicted == Duration{} ? 0 : as_double(time.measured) / as_double(time.predicted);
}

Compared CauseFacts::computing(const std::vector<std::size_t>& ranks) const {
  RankTime predicted = 0, measured = 0, count = 0;
  for (const std::size_t i : ranks) {
    const RankDifference& rank = difference_.per_rank[i];
    predicted += rank_time(rank.predicted.compute, rank.measured.ranks);
    measured += rank_time(rank.measured.compute, rank.measured.ranks);
    count += rank.measured.ranks;
  }
  if (count == 0) return {};
  return {nearest(predicted, count), nearest(measured, count)};
}

Compared CauseFacts::operator_time(OperatorKind work, Phase phase,
                                   const std::vector<std::size_t>& ranks) const {
  RankTime predicted = 0, measured = 0, count = 0;
  const auto time_of = [&](const RankBreakdown& rank) {
    for (const OperatorTime& each : rank.operators)
      if (each.work == work && each.phase == phase) return each.time;
    return Duration{};
  };
  for (const std::size_t i : ranks) {
    const RankDifference& rank = difference_.per_rank[i];
    predicted += rank_time(time_of(rank.predicted), rank.measured.ranks);
    measured += rank_time(time_of(rank.measured), rank.measured.ranks);
    count += rank.measured.ranks;
  }
  if (count == 0) return {};
  return {nearest(predicted, count), nearest(measured, count)};
}

std::optional<double> CauseFacts::ran(const std::vector<std::size_t>& ranks) const {
  if (measured_.cpu.empty()) return std::nullopt;
  std::vector<bool> counted(measured_.tracks.size(), false);
  for (const std::size_t rank : ranks) counted[rank] = true;
  double spans = 0, cpu = 0;
  for (std::size_t i = 0; i < measured_.spans.size(); ++i) {
    const Span& span = measured_.spans[i];
    if (!counted[static_cast<std::size_t>(span.track)] ||
        measured_.infos[static_cast<std::size_t>(span.info)].kind != SpanKind::compute)
      continue;
    spans += as_double(span.end - span.start);
    cpu += as_double(measured_.cpu[i]);
  }
  if (spans <= 0) return std::nullopt;
  return cpu / spans;
}

void CauseFacts::describe_axis(Cause& cause) const {
  bool messages = false;
  Bytes bytes;
  for (const CommunicationRatio& each : difference_.moves) {
    const SpanInfo& info = measured_.infos[static_cast<std::size_t>(each.info)];
    if (info.axis != cause.axis) continue;
    // A message is counted where it arrives: senders are done once it has left.
    messages = messages || info.kind == SpanKind::send;
    if (info.kind == SpanKind::send) continue;
    bytes += info.size * (static_cast<double>(each.spans) / difference_.ranks);
    cause.work_time.predicted += each.moving.predicted;
    cause.work_time.measured += each.moving.measured;
  }
  const auto& [predicted, measured] = cause.work_time;
  if (predicted > Duration{}) cause.predicted_rate = bytes / seconds(predicted);
  if (measured > Duration{}) cause.measured_rate = bytes / seconds(measured);
  if (!messages) compare_ranks(cause);
}

void CauseFacts::compare_ranks(Cause& cause) const {
  const auto axis = static_cast<std::size_t>(cause.axis);
  std::vector<double> ratios;
  for (const RankDifference& rank : difference_.per_rank) {
    const double one =
        ratio({rank.predicted.total_communication[axis], rank.measured.total_communication[axis]});
    if (one > 0) ratios.push_back(one);
  }
  if (ratios.empty()) return;
  cause.least = *std::min_element(ratios.begin(), ratios.end());
  cause.most = *std::max_element(ratios.begin(), ratios.end());
}

}  // namespace quintet
