#include <algorithm>
#include <cmath>

#include "gui/pages/calibration/fit_picture.h"

namespace quintet::gui {

namespace {

constexpr double left_margin = 92, right_margin = 20, top_margin = 74, bottom_margin = 50, gap = 26;

double shown_value(double amount, Seconds time, FitQuantity quantity) {
  return quantity == FitQuantity::time ? time.value : amount / time.value;
}

bool can_be_shown(const FitPoint& point) {
  return point.amount > 0 && point.measured > Seconds{};
}

struct Extent {
  double least = 0, most = 0;
  void add(double value) {
    if (!(value > 0) || !std::isfinite(value)) return;
    least = least > 0 ? std::min(least, value) : value;
    most = std::max(most, value);
  }
  LogAxis axis(double from, double to) const {
    return least > 0 ? LogAxis(least, most, from, to) : LogAxis(1, 10, from, to);
  }
};

LogAxis axis_across(const PartFit& fit, const QRectF& plot) {
  Extent extent;
  for (const FitPoint& point : fit.points)
    if (can_be_shown(point)) extent.add(point.amount);
  for (const CurvePlace& place : fit.curve) extent.add(place.amount);
  return extent.axis(plot.left(), plot.right());
}

LogAxis axis_up(const PartFit& fit, FitQuantity quantity, const QRectF& plot) {
  Extent extent;
  for (const FitPoint& point : fit.points)
    if (can_be_shown(point)) extent.add(shown_value(point.amount, point.measured, quantity));
  for (const CurvePlace& place : fit.curve)
    for (const Seconds time : {place.low, place.fitted, place.high})
      if (time > Seconds{}) extent.add(shown_value(place.amount, time, quantity));
  return extent.axis(plot.bottom(), plot.top());
}

QRectF plot_rect(const QSizeF& size) {
  const double height = size.height() - top_margin - bottom_margin - gap;
  return {left_margin, top_margin, size.width() - left_margin - right_margin, height * 0.68};
}

QRectF errors_rect(const QSizeF& size) {
  const double height = size.height() - top_margin - bottom_margin - gap;
  return {left_margin, top_margin + height * 0.68 + gap, size.width() - left_margin - right_margin,
          height * 0.32};
}

// A round share that holds most of the errors: 5, 10, 20, 50 %, ...
double error_range(const PartFit& fit) {
  double most = 0.04;
  for (const FitPoint& point : fit.points)
    if (point.held_out) most = std::max(most, std::abs(*point.held_out));
  for (double decade = 0.01;; decade *= 10)
    for (const double digit : {1.0, 2.0, 5.0})
      if (most <= digit * decade || decade > 1) return std::min(digit * decade, 2.0);
}

}  // namespace

FitLayout::FitLayout(const PartFit& fit, FitQuantity quantity, const QSizeF& size)
    : fit_(fit),
      quantity_(quantity),
      plot_(plot_rect(size)),
      errors_(errors_rect(size)),
      across_(axis_across(fit, plot_)),
      up_(axis_up(fit, quantity, plot_)),
      most_error_(error_range(fit)) {}

double FitLayout::error_height(double error) const {
  const double share = std::clamp(error / most_error_, -1.0, 1.0);
  return errors_.center().y() - share * errors_.height() / 2 * 0.92;
}

QPointF FitLayout::place(double amount, Seconds time) const {
  const double value = shown_value(amount, time, quantity_);
  return {across_.at(amount), std::clamp(up_.at(value), plot_.top(), plot_.bottom())};
}

std::optional<std::size_t> FitLayout::point_near(const QPointF& where) const {
  constexpr double reach = 12;
  std::optional<std::size_t> nearest;
  double least = reach;
  for (std::size_t i = 0; i < fit_.points.size(); ++i) {
    const FitPoint& point = fit_.points[i];
    if (!can_be_shown(point)) continue;
    std::vector<QPointF> places{place(point.amount, point.measured)};
    if (point.held_out)
      places.emplace_back(across_.at(point.amount), error_height(*point.held_out));
    for (const QPointF& each : places) {
      const double apart = std::hypot(each.x() - where.x(), each.y() - where.y());
      if (apart >= least) continue;
      least = apart;
      nearest = i;
    }
  }
  return nearest;
}

}  // namespace quintet::gui
