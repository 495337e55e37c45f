#include "gui/pages/calibration/fit_picture.h"

#include <fmt/format.h>

#include <QFontMetricsF>
#include <QPainterPath>
#include <cmath>

namespace quintet::gui {

namespace {

constexpr double radius = 4.5;

// What is needed to draw one picture.
struct Drawing {
  QPainter& painter;
  const QSizeF& size;
  const Theme& theme;
  const PartFit& fit;
  const FitShown& shown;
  const FitLayout& layout;
};

QString words(const std::string& text) {
  return QString::fromStdString(text);
}

// Of a font size in points that is the same in the window and in files.
void set_font(QPainter& painter, double points, bool bold = false) {
  QFont font = painter.font();
  font.setPointSizeF(points);
  font.setBold(bold);
  painter.setFont(font);
}

void draw_line_of_text(QPainter& painter, const QRectF& box, Qt::Alignment alignment,
                       const QString& text) {
  const QString fitting =
      QFontMetricsF(painter.font()).elidedText(text, Qt::ElideRight, box.width());
  painter.drawText(box, static_cast<int>(alignment | Qt::AlignVCenter), fitting);
}

QString unit_across(const PartFit& fit) {
  return fit.unit == AmountUnit::flops ? "FLOP" : "B";
}

QString unit_up(const PartFit& fit, FitQuantity quantity) {
  return quantity == FitQuantity::time ? QString("s") : unit_across(fit) + "/s";
}

QString amount_title(const PartFit& fit) {
  if (!fit.of.empty()) return words(fit.of);
  if (fit.unit == AmountUnit::flops) return "operations";
  return fit.part.kind == PartKind::operators ? "bytes moved" : "size";
}

QString error_text(const PartFit& fit) {
  if (fit.held_out.samples == 0 && fit.part.recorded.samples == 0)
    return "no point is held out, none is recorded";
  if (fit.held_out.samples == 0)
    return words(fmt::format("recorded of {} held out: 5 to 95 % lie from {:+.1f} to {:+.1f} %",
                             fit.part.recorded.samples, 100 * fit.part.recorded.p05,
                             100 * fit.part.recorded.p95));
  return words(fmt::format(
      "each of {} left out in turn: median error {:.1f} %, 5 to 95 % lie from {:+.1f} to {:+.1f} %",
      fit.held_out.samples, 100 * fit.held_out_median, 100 * fit.held_out.p05,
      100 * fit.held_out.p95));
}

void draw_titles(const Drawing& to) {
  QPainter& painter = to.painter;
  const double width = to.size.width() - 36;
  painter.setPen(to.theme.ink);
  set_font(painter, 12.5, true);
  draw_line_of_text(painter, {18, 6, width, 24}, Qt::AlignLeft, words(to.fit.part.name));
  set_font(painter, 9.5);
  painter.setPen(to.theme.soft_ink);
  draw_line_of_text(painter, {18, 28, width, 20}, Qt::AlignLeft, error_text(to.fit));
}

void draw_frame(const Drawing& to, const QRectF& panel) {
  to.painter.setBrush(Qt::NoBrush);
  to.painter.setPen(QPen(to.theme.frame, 1));
  to.painter.drawRect(panel);
}

void draw_across_ticks(const Drawing& to) {
  QPainter& painter = to.painter;
  const QRectF &plot = to.layout.plot(), &errors = to.layout.errors();
  double free_from = -1e9;
  for (const AxisTick& tick : to.layout.across().ticks()) {
    const double x = to.layout.across().at(tick.value);
    painter.setPen(QPen(to.theme.grid, tick.labelled ? 1 : 0.5));
    painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
    painter.drawLine(QPointF(x, errors.top()), QPointF(x, errors.bottom()));
    const QString label = prefixed(tick.value, unit_across(to.fit));
    const double half = QFontMetricsF(painter.font()).horizontalAdvance(label) / 2;
    if (!tick.labelled || x - half < free_from || x + half > to.size.width()) continue;
    painter.setPen(to.theme.ink);
    painter.drawText(QRectF(x - half - 2, errors.bottom() + 4, 2 * half + 4, 18), Qt::AlignCenter,
                     label);
    free_from = x + half + 12;
  }
  painter.setPen(to.theme.soft_ink);
  draw_line_of_text(painter, {plot.left(), errors.bottom() + 24, plot.width(), 20},
                    Qt::AlignHCenter, amount_title(to.fit));
}

void draw_up_ticks(const Drawing& to) {
  QPainter& painter = to.painter;
  const QRectF& plot = to.layout.plot();
  double free_below = 1e9;
  for (const AxisTick& tick : to.layout.up().ticks()) {
    const double y = to.layout.up().at(tick.value);
    painter.setPen(QPen(to.theme.grid, tick.labelled ? 1 : 0.5));
    painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
    if (!tick.labelled || y + 9 > free_below) continue;
    painter.setPen(to.theme.ink);
    painter.drawText(QRectF(0, y - 9, plot.left() - 8, 18), Qt::AlignRight | Qt::AlignVCenter,
                     prefixed(tick.value, unit_up(to.fit, to.shown.quantity)));
    free_below = y - 9;
  }
}

void draw_error_ticks(const Drawing& to) {
  QPainter& painter = to.painter;
  const QRectF& panel = to.layout.errors();
  for (const double share : {-1.0, 0.0, 1.0}) {
    const double error = share * to.layout.most_error();
    const double y = to.layout.error_height(error);
    painter.setPen(QPen(share == 0 ? to.theme.soft_ink : to.theme.grid, 1));
    painter.drawLine(QPointF(panel.left(), y), QPointF(panel.right(), y));
    painter.setPen(to.theme.ink);
    painter.drawText(
        QRectF(0, y - 9, panel.left() - 8, 18), Qt::AlignRight | Qt::AlignVCenter,
        words(share == 0 ? std::string("0 %") : fmt::format("{:+.0f} %", 100 * error)));
  }
  painter.setPen(to.theme.soft_ink);
  draw_line_of_text(painter, {panel.left(), panel.top() - 22, panel.width(), 20}, Qt::AlignLeft,
                    "measured / fit - 1, of a fit that has not seen the point");
}

void draw_curve(const Drawing& to) {
  if (to.fit.curve.empty()) return;
  QPolygonF band, line;
  for (const CurvePlace& each : to.fit.curve) {
    line << to.layout.place(each.amount, each.fitted);
    if (each.low > Seconds{}) band << to.layout.place(each.amount, each.low);
  }
  for (auto each = to.fit.curve.rbegin(); each != to.fit.curve.rend(); ++each)
    if (each->high > Seconds{}) band << to.layout.place(each->amount, each->high);
  QColor shade = to.theme.accent;
  shade.setAlphaF(0.16F);
  to.painter.setPen(Qt::NoPen);
  to.painter.setBrush(shade);
  to.painter.drawPolygon(band);
  to.painter.setBrush(Qt::NoBrush);
  to.painter.setPen(QPen(to.theme.accent, 2));
  to.painter.drawPolyline(line);
}

// What the table recorded, as a range behind the errors.
void draw_recorded(const Drawing& to) {
  const Residuals& recorded = to.fit.part.recorded;
  if (recorded.samples == 0) return;
  const double top = to.layout.error_height(recorded.p95),
               bottom = to.layout.error_height(recorded.p05);
  QColor shade = to.theme.accent;
  shade.setAlphaF(0.16F);
  to.painter.fillRect(
      QRectF(to.layout.errors().left(), top, to.layout.errors().width(), bottom - top), shade);
}

void draw_shape(QPainter& painter, const Theme& theme, const FitPoint& point, const QPointF& at) {
  const QColor color = point.excluded ? theme.warning : color_of(theme, Look::orange);
  painter.setPen(QPen(point.excluded || point.contradicted ? theme.warning : theme.ink,
                      point.excluded || point.contradicted ? 2 : 1));
  painter.setBrush(point.excluded ? QBrush(Qt::NoBrush) : QBrush(color));
  const QRectF box(at.x() - radius, at.y() - radius, 2 * radius, 2 * radius);
  if (point.excluded) {
    painter.drawRect(box);
  } else if (point.place.list == PointList::exact_operator) {
    const double wide = radius * 1.35;
    painter.drawPolygon(QPolygonF{{at.x(), at.y() - wide},
                                  {at.x() + wide, at.y()},
                                  {at.x(), at.y() + wide},
                                  {at.x() - wide, at.y()}});
  } else {
    painter.drawEllipse(box);
  }
}

void draw_points(const Drawing& to) {
  for (std::size_t i = 0; i < to.fit.points.size(); ++i) {
    const FitPoint& point = to.fit.points[i];
    if (point.amount <= 0 || point.measured <= Seconds{}) continue;
    const QPointF at = to.layout.place(point.amount, point.measured);
    if (point.fitted) {
      to.painter.setPen(QPen(to.theme.soft_ink, 1, Qt::DotLine));
      to.painter.drawLine(at, to.layout.place(point.amount, *point.fitted));
    }
    std::vector<QPointF> places{at};
    if (point.held_out) {
      places.emplace_back(at.x(), to.layout.error_height(*point.held_out));
      to.painter.setPen(QPen(to.theme.soft_ink, 1, Qt::DotLine));
      to.painter.drawLine(places.back(), QPointF(at.x(), to.layout.error_height(0)));
    }
    for (const QPointF& place : places) {
      if (to.shown.chosen == i) {
        to.painter.setPen(QPen(to.theme.accent, 2));
        to.painter.setBrush(Qt::NoBrush);
        to.painter.drawEllipse(place, 2.2 * radius, 2.2 * radius);
      }
      draw_shape(to.painter, to.theme, point, place);
    }
  }
}

void draw_legend_entry(const Drawing& to, double& x, const FitPoint& like, const QString& text) {
  const double width = QFontMetricsF(to.painter.font()).horizontalAdvance(text) + 34;
  if (x + width > to.size.width()) return;
  draw_shape(to.painter, to.theme, like, {x + 6, 60});
  to.painter.setPen(to.theme.ink);
  to.painter.drawText(QRectF(x + 16, 50, width, 20), Qt::AlignLeft | Qt::AlignVCenter, text);
  x += width;
}

// Of what is in the picture.
void draw_legend(const Drawing& to) {
  double x = to.layout.plot().left();
  FitPoint counted, contradicted, exact, excluded;
  contradicted.contradicted = true;
  excluded.excluded = true;
  counted.place.list = contradicted.place.list = PointList::collective;
  bool any_counted = false, any_contradicted = false, any_exact = false, any_excluded = false;
  for (const FitPoint& each : to.fit.points) {
    const bool is_exact = each.place.list == PointList::exact_operator;
    any_excluded = any_excluded || each.excluded;
    any_exact = any_exact || (is_exact && !each.excluded);
    any_contradicted = any_contradicted || each.contradicted;
    any_counted = any_counted || (!is_exact && !each.excluded);
  }
  if (any_counted) draw_legend_entry(to, x, counted, "counts");
  if (any_contradicted) draw_legend_entry(to, x, contradicted, "contradicted by the others");
  if (any_exact) draw_legend_entry(to, x, exact, "measured exactly");
  if (any_excluded) draw_legend_entry(to, x, excluded, "left out");
  if (to.fit.curve.empty()) return;
  const bool has_band = to.fit.curve.front().low < to.fit.curve.front().high;
  const QString text = has_band ? "fit, and where 9 of 10 measurements are to lie" : "fit";
  if (x + QFontMetricsF(to.painter.font()).horizontalAdvance(text) + 40 > to.size.width()) return;
  QColor shade = to.theme.accent;
  shade.setAlphaF(0.16F);
  if (has_band) to.painter.fillRect(QRectF(x, 54, 24, 12), shade);
  to.painter.setPen(QPen(to.theme.accent, 2));
  to.painter.drawLine(QPointF(x, 60), QPointF(x + 24, 60));
  to.painter.setPen(to.theme.ink);
  to.painter.drawText(QRectF(x + 32, 50, to.size.width() - x - 32, 20),
                      Qt::AlignLeft | Qt::AlignVCenter, text);
}

void draw_panels(const Drawing& to) {
  draw_titles(to);
  draw_legend(to);
  draw_across_ticks(to);
  draw_up_ticks(to);
  draw_recorded(to);
  draw_error_ticks(to);
  draw_curve(to);
  draw_frame(to, to.layout.plot());
  draw_frame(to, to.layout.errors());
  draw_points(to);
}

}  // namespace

void paint_fit(QPainter& painter, const QSizeF& size, const Theme& theme, const PartFit* fit,
               const FitShown& shown) {
  painter.fillRect(QRectF({0, 0}, size), theme.paper);
  if (fit == nullptr) {
    painter.setPen(theme.soft_ink);
    painter.drawText(QRectF({0, 0}, size), Qt::AlignCenter, "No part of a cost table is chosen");
    return;
  }
  const FitLayout layout(*fit, shown.quantity, size);
  painter.setRenderHint(QPainter::Antialiasing);
  draw_panels({painter, size, theme, *fit, shown, layout});
  if (fit->points.empty() && fit->curve.empty()) {
    painter.setPen(theme.soft_ink);
    painter.drawText(layout.plot(), Qt::AlignCenter,
                     "The table has neither points nor a formula of this operation by itself");
  }
}

}  // namespace quintet::gui
