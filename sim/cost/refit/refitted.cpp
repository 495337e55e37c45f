#include "sim/cost/refit/refitted.h"

#include <fmt/format.h>

#include <cassert>
#include <utility>

#include "sim/cost/collective_curve.h"
#include "sim/cost/operator_curves.h"

namespace quintet {

namespace {

template <class Curve>
void drop(std::vector<Curve>& curves, PointList list, const ExcludedPoints& excluded) {
  for (std::size_t i = 0; i < curves.size(); ++i)
    curves[i].points = accepted(curves[i].points, {list, i, 0}, excluded);
}

std::optional<Error> too_few(const CostPart& part, std::size_t left, std::size_t least) {
  if (left >= least) return std::nullopt;
  return Error{part.name, fmt::format("{} points would be left, and its curve needs {} or more; "
                                      "accept another one",
                                      left, least)};
}

}  // namespace

CostTable refitted(CostTable table, const ExcludedPoints& excluded) {
  table.operators = accepted(table.operators, {PointList::exact_operator, 0, 0}, excluded);
  drop(table.communication.curves, PointList::collective, excluded);
  drop(table.communication.messages, PointList::message, excluded);
  for (std::size_t i = 0; i < table.curves.size(); ++i) {
    OperatorCurve& curve = table.curves[i];
    auto left = accepted(curve.points, {PointList::operator_curve, i, 0}, excluded);
    if (left.size() == curve.points.size()) continue;
    std::optional<OperatorCurve> fitted = fitted_curve(std::move(left));
    assert(fitted);
    curve = std::move(*fitted);
  }
  return table;
}

std::optional<Error> why_not_without(const CostTable& table, const ExcludedPoints& excluded) {
  for (const CostPart& part : cost_parts(table)) {
    if (!part.entry) continue;
    const std::size_t i = *part.entry;
    const auto left = [&](const auto& curve, PointList list) {
      return accepted(curve.points, {list, i, 0}, excluded).size();
    };
    std::optional<Error> error;
    if (part.kind == PartKind::operators)
      error = too_few(part, left(table.curves[i], PointList::operator_curve), 1);
    else if (part.kind == PartKind::collective)
      error = too_few(part, left(table.communication.curves[i], PointList::collective), 2);
    else if (part.kind == PartKind::message)
      error = too_few(part, left(table.communication.messages[i], PointList::message), 2);
    if (error) return error;
  }
  return std::nullopt;
}

std::vector<std::optional<double>> left_out_along(std::span<const CurvePoint> points) {
  std::vector<std::optional<double>> errors(points.size());
  for (std::size_t i = 1; i + 1 < points.size(); ++i) {
    std::vector<CurvePoint> others(points.begin(), points.end());
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    errors[i] = points[i].time / time_along(others, points[i].size) - 1;
  }
  return errors;
}

}  // namespace quintet
