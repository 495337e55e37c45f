#include "gui/pages/calibration/fit_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

namespace quintet::gui {

FitView::FitView(const Document& document, CostPointsModel& points, QWidget* parent)
    : QWidget(parent), document_(document), points_(points) {
  setFocusPolicy(Qt::StrongFocus);
  setMinimumSize(360, 260);
  setAccessibleName("Measured points and the fit");
  setAccessibleDescription(
      "Arrow keys go from point to point, the space bar leaves the point out or lets it count");
  connect(&points_, &QAbstractItemModel::modelReset, this, [this] { choose(std::nullopt); });
  connect(&points_, &QAbstractItemModel::dataChanged, this, [this] { update(); });
}

void FitView::show_quantity(FitQuantity quantity) {
  shown_.quantity = quantity;
  update();
}

void FitView::choose(std::optional<std::size_t> point) {
  if (shown_.chosen == point) return update();
  shown_.chosen = point;
  update();
  emit chosen_changed();
}

void FitView::toggle_chosen() {
  if (points_.fit() == nullptr || !shown_.chosen) return;
  const int row = static_cast<int>(*shown_.chosen);
  points_.set_counts(row, !points_.counts(row));
}

void FitView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  paint_fit(painter, size(), document_.theme(), points_.fit(), shown_);
  if (!hasFocus()) return;
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(document_.theme().accent, 2));
  painter.drawRect(rect().adjusted(1, 1, -1, -1));
}

std::optional<std::size_t> FitView::point_at(const QPointF& place) const {
  if (points_.fit() == nullptr) return std::nullopt;
  return FitLayout(*points_.fit(), shown_.quantity, size()).point_near(place);
}

void FitView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return QWidget::mousePressEvent(event);
  const auto point = point_at(event->position());
  choose(point);
  if (point) toggle_chosen();
}

void FitView::keyPressEvent(QKeyEvent* event) {
  const auto count = static_cast<std::size_t>(points_.rowCount());
  if (count == 0) return QWidget::keyPressEvent(event);
  if (event->key() == Qt::Key_Right)
    choose(shown_.chosen ? std::min(*shown_.chosen + 1, count - 1) : 0);
  else if (event->key() == Qt::Key_Left)
    choose(shown_.chosen && *shown_.chosen > 0 ? *shown_.chosen - 1 : 0);
  else if (event->key() == Qt::Key_Space)
    toggle_chosen();
  else
    QWidget::keyPressEvent(event);
}

QString FitView::tip_of(std::size_t point) const {
  const auto text = [&](CostPointsModel::Column column) {
    return points_.index(static_cast<int>(point), column).data().toString();
  };
  return QString("%1\nmeasured %2, fit %3, held out %4\n%5")
      .arg(text(CostPointsModel::shape), text(CostPointsModel::measured),
           text(CostPointsModel::fitted), text(CostPointsModel::held_out),
           points_.counts(static_cast<int>(point)) ? "Click to leave it out"
                                                   : "Click to let it count");
}

bool FitView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const auto point = point_at(help->pos());
  if (point)
    QToolTip::showText(help->globalPos(), tip_of(*point), this);
  else
    QToolTip::hideText();
  return true;
}

}  // namespace quintet::gui
