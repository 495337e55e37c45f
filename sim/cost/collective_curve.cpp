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
  const std::vector<CurvePoint>& points = curve.points;
  assert(points.size() >= 2);
  if (size < points.front().size || points.back().size < size) return std::nullopt;
  const auto above = std::find_if(points.begin() + 1, points.end() - 1,
                                  [&](const CurvePoint& point) { return size < point.size; });
  return between(*(above - 1), *above, size);
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
  const auto curve = std::find_if(
      costs.curves.begin(), costs.curves.end(),
      [&](const CollectiveCurve& each) { return each.kind == kind && each.ranks == ranks; });
  if (curve == costs.curves.end()) return std::nullopt;
  return time_on(*curve, size);
}

std::optional<Seconds> derived_collective(CollectiveKind kind, int ranks, Bytes size,
                                          const CommunicationCosts& costs) {
  const double share = share_of_all_reduce(kind);
  const CollectiveCurve* nearest = nullptr;
  for (const CollectiveCurve& curve : costs.curves)
    if (curve.kind == CollectiveKind::all_reduce &&
        (!nearest || std::abs(curve.ranks - ranks) < std::abs(nearest->ranks - ranks)))
      nearest = &curve;
  if (!nearest || share <= 0) return std::nullopt;
  const std::optional<Seconds> time = time_on(*nearest, size);
  if (!time) return std::nullopt;
  return *time * (share * border_share(ranks) / border_share(nearest->ranks));
}

}  // namespace quintet
