#include "calibrate/messages/message_summary.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "sim/base/text_table.h"

namespace quintet::calibrate {
namespace {

std::string short_time(Seconds time) {
  const double microseconds = time.value * 1e6;
  return microseconds < 1000 ? fmt::format("{:.1f} us", microseconds)
                             : fmt::format("{:.2f} ms", microseconds / 1000);
}

std::string short_rate(Bandwidth rate) {
  return rate.value < 1e9 ? fmt::format("{:.0f} MB/s", rate.value * 1e-6)
                          : fmt::format("{:.2f} GB/s", rate.value * 1e-9);
}

std::string range_of(const Residuals& residuals) {
  if (residuals.samples == 0) return "";
  return fmt::format("{:+.1f} to {:+.1f} %", 100 * residuals.p05, 100 * residuals.p95);
}

template <class Curve>
TextRow row_of(const std::string& what, const std::string& ranks, const Curve& curve) {
  const CurvePoint& first = curve.points.front();
  const CurvePoint& last = curve.points.back();
  return {what, ranks, short_time(first.time), short_rate(last.size / last.time),
          range_of(curve.residuals)};
}

std::string method_text(const CollectiveCurve& curve) {
  std::string text = curve.algorithm ? std::string(name_of(*curve.algorithm)) : "choice";
  return curve.protocol ? text + " " + std::string(name_of(*curve.protocol)) : text;
}

std::string curves_text(const CommunicationCosts& costs) {
  std::vector<TextRow> rows{{"", "ranks on hosts", "latency", "size / time", "sizes left out"}};
  for (const MessageCurve& curve : costs.messages)
    rows.push_back(row_of("message", curve.network ? "2 on 2" : "2 on 1", curve));
  for (const CollectiveCurve& curve : costs.curves)
    rows.push_back(row_of(fmt::format("{} by {}", name_of(curve.kind), method_text(curve)),
                          fmt::format("{} on {}", curve.ranks, curve.hosts), curve));
  return aligned(rows);
}

std::string pairs_text(const std::vector<PairCosts>& pairs) {
  if (pairs.empty()) return "";
  const auto [quick, late] = std::minmax_element(
      pairs.begin(), pairs.end(),
      [](const PairCosts& left, const PairCosts& right) { return left.latency < right.latency; });
  const auto [slow, fast] = std::minmax_element(
      pairs.begin(), pairs.end(),
      [](const PairCosts& left, const PairCosts& right) { return left.rate < right.rate; });
  return fmt::format("{} pairs: {} to {} (ranks {} and {}), {} (ranks {} and {}) to {}.\n",
                     pairs.size(), short_time(quick->latency), short_time(late->latency),
                     late->from, late->to, short_rate(slow->rate), slow->from, slow->to,
                     short_rate(fast->rate));
}

std::string ranks_text(const MeasuredRanks& among) {
  return fmt::format(
      "Clocks: {} apart at most, known to {}. A piece of work of {} takes {} more or less from one "
      "time to the next, and {:.1f} % longer on the slowest rank, {}.\n",
      short_time(among.clock_offset), short_time(among.clock_bound), short_time(among.quantum),
      range_of(among.jitter), 100 * (among.slowest - 1), among.slowest_rank);
}

std::string overlap_text(const OverlapRow& row) {
  const bool product = row.compute == ComputeClass::product;
  const bool reducing = row.communication == CommunicationClass::reducing;
  return fmt::format("{} beside {} collectives takes {:.2f} times as long, they {:.2f} times.\n",
                     product ? "A product" : "Memory-bound work", reducing ? "reducing" : "copying",
                     row.compute_slowdown, row.communication_slowdown);
}

}  // namespace

std::string message_summary(const CostTable& table) {
  const CommunicationCosts& costs = table.communication;
  if (costs.curves.empty() && costs.messages.empty()) return "";
  std::string text = curves_text(costs) + pairs_text(costs.pairs);
  if (costs.among) text += ranks_text(*costs.among);
  for (const OverlapRow& row : table.overlap.rows) text += overlap_text(row);
  return text;
}

}  // namespace quintet::calibrate
