// A cost table without some of its measured points. Pure.
//
// A curve of operators is fitted anew to the points that are left (operator_curves.h), with the
// residuals of leaving each of them out. Curves of collectives and messages run through what is
// left; their residuals stay, since they are of measurements that the table does not hold.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sim/base/result.h"
#include "sim/cost/refit/cost_part.h"

namespace quintet {

// The excluded points must be in the table, and leave what why_not_without() asks for.
CostTable refitted(CostTable table, const ExcludedPoints& excluded);

// Where too few points would be left ("mlp_up forward in fp32") and how many a curve needs: one of
// operators, two of collectives and messages. Nothing: enough are left.
std::optional<Error> why_not_without(const CostTable& table, const ExcludedPoints& excluded);

// Real / fit - 1 of each point by time_along the others; none of the first and the last, beyond
// which a curve says nothing.
std::vector<std::optional<double>> left_out_along(std::span<const CurvePoint> points);

// The points of list and curve that are not excluded.
template <class Point>
std::vector<Point> accepted(const std::vector<Point>& points, PointPlace place,
                            const ExcludedPoints& excluded) {
  std::vector<Point> left;
  for (place.point = 0; place.point < points.size(); ++place.point)
    if (!excluded.contains(place)) left.push_back(points[place.point]);
  return left;
}

}  // namespace quintet
