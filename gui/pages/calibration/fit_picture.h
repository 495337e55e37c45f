// A part of a cost table as a picture: measured points, the curve with the range that nine of ten
// measurements are to lie in, and below them how far each point lies from a curve that has not
// seen it. Points that count are full circles, those left out hollow squares, those measured
// exactly diamonds.
#pragma once

#include <QPainter>
#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <optional>
#include <vector>

#include "gui/drawing/theme.h"
#include "gui/pages/calibration/log_axis.h"
#include "sim/cost/refit/part_fit.h"

namespace quintet::gui {

enum class FitQuantity { time, rate };  // rate: amount over time

struct FitShown {
  FitQuantity quantity = FitQuantity::time;
  std::optional<std::size_t> chosen;  // number of a point
};

// Where things are in a picture of this size.
class FitLayout {
 public:
  FitLayout(const PartFit& fit, FitQuantity quantity, const QSizeF& size);

  const QRectF& plot() const { return plot_; }
  const QRectF& errors() const { return errors_; }  // the panel below
  const LogAxis& across() const { return across_; }
  const LogAxis& up() const { return up_; }
  double error_height(double error) const;  // of measured / fit - 1, held to the panel
  double most_error() const { return most_error_; }
  QPointF place(double amount, Seconds time) const;
  // The nearest point within 12 pixels, in either panel.
  std::optional<std::size_t> point_near(const QPointF& place) const;

 private:
  const PartFit& fit_;
  FitQuantity quantity_;
  QRectF plot_, errors_;
  LogAxis across_, up_;
  double most_error_;
};

// `fit` null: says that no part is chosen.
void paint_fit(QPainter& painter, const QSizeF& size, const Theme& theme, const PartFit* fit,
               const FitShown& shown);

}  // namespace quintet::gui
