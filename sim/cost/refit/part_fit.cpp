#include "sim/cost/refit/part_fit.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "sim/base/quantile.h"
#include "sim/base/quantity_text.h"
#include "sim/cost/collective_curve.h"
#include "sim/cost/file/operator_text.h"
#include "sim/cost/operator_curves.h"
#include "sim/cost/operator_family.h"
#include "sim/cost/refit/formula_line.h"
#include "sim/cost/refit/refitted.h"

namespace quintet {

namespace {

constexpr double ninety = 1.645;  // standard deviations about the mean that hold 90 %
constexpr int steps = 12;         // of the curve, from a point to the next

void sum_up(PartFit& fit) {
  std::vector<double> errors, absolute;
  for (const FitPoint& point : fit.points) {
    const bool counts = !point.excluded && point.place.list != PointList::exact_operator;
    if (!counts || !point.held_out) continue;
    errors.push_back(*point.held_out);
    absolute.push_back(std::abs(*point.held_out));
  }
  if (errors.empty()) return;
  fit.held_out = {quantile_of_unseen(errors, 0.05), quantile_of_unseen(errors, 0.95),
                  static_cast<int>(errors.size())};
  fit.held_out_median = quantile(absolute, 0.5);
}

void sort_by_amount(std::vector<FitPoint>& points) {
  std::stable_sort(points.begin(), points.end(),
                   [](const FitPoint& a, const FitPoint& b) { return a.amount < b.amount; });
}

FitPoint operator_point(const MeasuredOperator& measured, PointPlace place,
                        const ExcludedPoints& excluded) {
  FitPoint point;
  point.place = place;
  point.shape = shape_text(measured.work.shape);
  point.amount = natural_work(measured.work);
  point.measured = measured.time;
  point.samples = measured.samples;
  point.excluded = excluded.contains(place);
  return point;
}

void compare(FitPoint& point, const PricedOperator& work, const OperatorCurve& curve) {
  if (point.amount <= 0) return;
  point.fitted = sampled_time(work, curve);
  point.held_out = point.measured / *point.fitted - 1;
}

CurvePlace place_on(const OperatorCurve& curve, double amount, const std::vector<double>& sizes) {
  const CurveEstimate estimate = curve.fit.at(sizes);
  const double spread = std::exp(ninety * std::hypot(estimate.deviation, curve.smoothness.noise));
  const Seconds fitted{amount * estimate.value};
  return {amount, fitted / spread, fitted, fitted * spread};
}

double on_the_way(double from, double to, double share) {
  return std::exp(std::log(from) + share * (std::log(to) - std::log(from)));
}

std::vector<CurvePlace> line_along(const OperatorCurve& curve) {
  std::vector<MeasuredOperator> points = curve.points;
  std::stable_sort(points.begin(), points.end(), [](const auto& a, const auto& b) {
    return natural_work(a.work) < natural_work(b.work);
  });
  std::vector<CurvePlace> line;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const std::vector<double> from = sizes_of(points[i].work), to = sizes_of(points[i + 1].work);
    for (int step = line.empty() ? 0 : 1; step <= steps; ++step) {
      const double share = static_cast<double>(step) / steps;
      std::vector<double> sizes;
      for (std::size_t size = 0; size < from.size(); ++size)
        sizes.push_back(on_the_way(from[size], to[size], share));
      line.push_back(place_on(
          curve, on_the_way(natural_work(points[i].work), natural_work(points[i + 1].work), share),
          sizes));
    }
  }
  return line;
}

// Through the points that count; the table's own where those are all. None: no point is left.
std::optional<OperatorCurve> curve_without(const OperatorCurve& all, PointPlace first,
                                           const ExcludedPoints& excluded) {
  std::vector<MeasuredOperator> left = accepted(all.points, first, excluded);
  if (left.size() == all.points.size()) return all;
  return fitted_curve(std::move(left));
}

// What the curve's other points say of each that counts, in their order.
struct Others {
  std::vector<LeftOutSample> left_out;
  std::vector<bool> contradicted;
};

Others others_of(const OperatorCurve& curve) {
  Others others;
  if (curve.points.size() >= 2) others.left_out = curve.fit.left_out();
  others.contradicted = exceptional_samples(others.left_out);
  return others;
}

void add_points(PartFit& fit, const std::vector<MeasuredOperator>& points,
                const OperatorCurve& curve, PointPlace place, const ExcludedPoints& excluded) {
  const Others others = others_of(curve);
  std::size_t counted = 0;
  for (place.point = 0; place.point < points.size(); ++place.point) {
    FitPoint point = operator_point(points[place.point], place, excluded);
    compare(point, points[place.point].work, curve);
    if (!point.excluded) {
      const bool is_known = counted < others.left_out.size();
      point.held_out =
          is_known ? std::optional(others.left_out[counted].error) : std::optional<double>();
      point.contradicted = is_known && others.contradicted[counted];
      ++counted;
    }
    fit.points.push_back(std::move(point));
  }
}

PartFit operator_fit(const CostTable& table, const CostPart& part, const ExcludedPoints& excluded) {
  PartFit fit{part, AmountUnit::bytes, "", {}, {}, {}, 0};
  const PricedOperator& any = part.entry ? table.curves[*part.entry].points.front().work
                                         : table.operators[part.exact.front()].work;
  if (family_of(any).form != OperatorForm::memory) fit.unit = AmountUnit::flops;
  std::optional<OperatorCurve> curve;
  if (part.entry) {
    const OperatorCurve& all = table.curves[*part.entry];
    const PointPlace first{PointList::operator_curve, *part.entry, 0};
    curve = curve_without(all, first, excluded);
    add_points(fit, all.points, curve.value_or(all), first, excluded);
    if (curve) fit.curve = line_along(*curve);
    sort_by_amount(fit.points);
  }
  std::vector<FitPoint> exact;
  for (const std::size_t i : part.exact) {
    const MeasuredOperator& measured = table.operators[i];
    exact.push_back(operator_point(measured, {PointList::exact_operator, 0, i}, excluded));
    if (curve) compare(exact.back(), measured.work, *curve);
  }
  sort_by_amount(exact);
  fit.points.insert(fit.points.end(), exact.begin(), exact.end());
  return fit;
}

// A curve through what is left of collectives or messages.
template <class Curve>
PartFit communication_fit(const Curve& all, const CostPart& part, PointList list,
                          const ExcludedPoints& excluded) {
  PartFit fit{part, AmountUnit::bytes, "", {}, {}, {}, 0};
  const std::vector<CurvePoint> left = accepted(all.points, {list, *part.entry, 0}, excluded);
  const bool is_curve = left.size() >= 2;
  const std::vector<std::optional<double>> held_out = left_out_along(left);
  std::size_t counted = 0;
  for (std::size_t i = 0; i < all.points.size(); ++i) {
    FitPoint point;
    point.place = {list, *part.entry, i};
    point.shape = text(all.points[i].size);
    point.amount = all.points[i].size.value;
    point.measured = all.points[i].time;
    point.excluded = excluded.contains(point.place);
    if (is_curve) point.fitted = time_along(left, all.points[i].size);
    if (!point.excluded)
      point.held_out = held_out[counted++];
    else if (is_curve && covers(left, all.points[i].size))
      point.held_out = point.measured / *point.fitted - 1;
    fit.points.push_back(std::move(point));
  }
  if (!is_curve) return fit;
  for (const CurvePoint& point : left) {
    const Residuals band = residuals_at(all.residuals, all.by_size, point.size);
    fit.curve.push_back(
        {point.size.value, point.time * (1 + band.p05), point.time, point.time * (1 + band.p95)});
  }
  return fit;
}

PartFit any_fit(const CostTable& table, const CostPart& part, const ExcludedPoints& excluded) {
  switch (part.kind) {
    case PartKind::operators:
      return operator_fit(table, part, excluded);
    case PartKind::collective:
      return communication_fit(table.communication.curves[*part.entry], part, PointList::collective,
                               excluded);
    case PartKind::message:
      return communication_fit(table.communication.messages[*part.entry], part, PointList::message,
                               excluded);
    case PartKind::gemm:
    case PartKind::attention:
    case PartKind::memory:
      return formula_fit(table, part);
  }
  return {};
}

}  // namespace

PartFit fit_of(const CostTable& table, const CostPart& part, const ExcludedPoints& excluded) {
  PartFit fit = any_fit(table, part, excluded);
  sum_up(fit);
  return fit;
}

}  // namespace quintet
