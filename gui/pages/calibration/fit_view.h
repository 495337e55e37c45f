// The picture of one part of a cost table: a click on a point, or the space bar, lets it count or
// leaves it out; the arrows go from point to point.
#pragma once

#include <QWidget>
#include <optional>

#include "gui/document/document.h"
#include "gui/models/cost_points_model.h"
#include "gui/pages/calibration/fit_picture.h"

namespace quintet::gui {

class FitView : public QWidget {
  Q_OBJECT
 public:
  // Both outlive the view.
  FitView(const Document& document, CostPointsModel& points, QWidget* parent);

  void show_quantity(FitQuantity quantity);
  FitQuantity quantity() const { return shown_.quantity; }
  // A row of the points' model; none: no point.
  void choose(std::optional<std::size_t> point);
  std::optional<std::size_t> chosen() const { return shown_.chosen; }
  void toggle_chosen();

 signals:
  void chosen_changed();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;  // tool tips

 private:
  std::optional<std::size_t> point_at(const QPointF& place) const;
  QString tip_of(std::size_t point) const;

  const Document& document_;
  CostPointsModel& points_;
  FitShown shown_;
};

}  // namespace quintet::gui
