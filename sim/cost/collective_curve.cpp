#include "sim/cost/collective_curve.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>

namespace quintet {
namespace {

Seconds between(const CurvePoint& low, const CurvePoint& high, Bytes size) {
  const double share = std::log(size / low.size) / std::log(high.size / low.size);
  return low.time * std::pow(high.time / low.time, share);
}

std::optional<Seconds> time_on(const CollectiveCurve& curve, Bytes size) {
  if (!covers(curve.points, size)) return std::nullopt;
  return time_along(curve.points, size);
}

// Whether the curve is of the library's own choice in a host.
bool is_plain(const CollectiveCurve& curve) {
  return curve.hosts == 1 && !curve.algorithm && !curve.protocol;
}

bool alike(const std::optional<CurveNetwork>& left, const std::optional<CurveNetwork>& right) {
  if (!left || !right) return !left && !right;
  constexpr double share = 0.01;
  constexpr Seconds shortest{1e-6};
  const Seconds apart{std::abs((left->latency - right->latency).value)};
  return std::abs(left->rate / right->rate - 1) <= share &&
         apart <= std::max(shortest, share * right->latency);
}

double border_share(int ranks) {
  return static_cast<double>(ranks - 1) / ranks;
}

// Passes over the ring, of the two that an all-reduce makes; 0: not made of rings' passes.
double share_of_all_reduce(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::all_reduce:
      return 1.0;
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_gather:
      return 0.5;
    case CollectiveKind::broadcast:
    case CollectiveKind::reduce:
    case CollectiveKind::all_to_all:
      return 0.0;
  }
  return 0.0;
}

}  // namespace

std::optional<Seconds> measured_collective(CollectiveKind kind, int ranks, Bytes size,
                                           const CommunicationCosts& costs) {
  const CollectiveCurve* const curve = curve_for({kind, ranks}, costs);
  return curve == nullptr ? std::nullopt : time_on(*curve, size);
}

std::optional<Seconds> derived_collective(CollectiveKind kind, int ranks, Bytes size,
                                          const CommunicationCosts& costs) {
  const double share = share_of_all_reduce(kind);
  const CollectiveCurve* nearest = nullptr;
  for (const CollectiveCurve& curve : costs.curves)
    if (curve.kind == CollectiveKind::all_reduce && is_plain(curve) &&
        (!nearest || std::abs(curve.ranks - ranks) < std::abs(nearest->ranks - ranks)))
      nearest = &curve;
  if (!nearest || share <= 0) return std::nullopt;
  const std::optional<Seconds> time = time_on(*nearest, size);
  if (!time) return std::nullopt;
  return *time * (share * border_share(ranks) / border_share(nearest->ranks));
}

const CollectiveCurve* curve_for(const CurveQuery& query, const CommunicationCosts& costs) {
  const auto curve =
      std::find_if(costs.curves.begin(), costs.curves.end(), [&](const CollectiveCurve& each) {
        return each.kind == query.kind && each.ranks == query.ranks && each.hosts == query.hosts &&
               each.algorithm == query.algorithm && each.protocol == query.protocol &&
               alike(each.network, query.network);
      });
  return curve == costs.curves.end() ? nullptr : &*curve;
}

const MessageCurve* message_curve_for(const std::optional<CurveNetwork>& network,
                                      const CommunicationCosts& costs) {
  const auto curve =
      std::find_if(costs.messages.begin(), costs.messages.end(),
                   [&](const MessageCurve& each) { return alike(each.network, network); });
  return curve == costs.messages.end() ? nullptr : &*curve;
}

bool covers(std::span<const CurvePoint> points, Bytes size) {
  return points.front().size <= size && size <= points.back().size;
}

namespace {

double slope(const CurvePoint& low, const CurvePoint& high) {
  return std::clamp(std::log(high.time / low.time) / std::log(high.size / low.size), 0.0, 1.0);
}

// The least that the real time may be outside, as a share of what time_along says.
double least_share(std::span<const CurvePoint> points, Bytes size) {
  if (size < points.front().size)
    return std::pow(size / points.front().size, slope(points[0], points[1]));
  const double above = slope(points[points.size() - 2], points.back());
  return std::pow(points.back().size / size, 1 - above);
}

}  // namespace

Residuals residuals_at(const Residuals& all, const ResidualsBySize& by_size, Bytes size) {
  const Residuals& alike = size <= residual_split ? by_size.small : by_size.large;
  return alike.samples > 0 ? alike : all;
}

Residuals residuals_along(std::span<const CurvePoint> points, const Residuals& inside, Bytes size) {
  if (inside.samples == 0 || covers(points, size)) return inside;
  constexpr double least_error = 0.1;
  const double low = 1 + std::min(inside.p05, -least_error);
  return {low * least_share(points, size) - 1, std::max(inside.p95, least_error), inside.samples};
}

Seconds time_along(std::span<const CurvePoint> points, Bytes size) {
  assert(points.size() >= 2);
  if (size <= points.front().size) return points.front().time;
  if (size > points.back().size) return points.back().time * (size / points.back().size);
  const auto above = std::find_if(points.begin() + 1, points.end() - 1,
                                  [&](const CurvePoint& point) { return size < point.size; });
  return between(*(above - 1), *above, size);
}

}  // namespace quintet
