#include "gui/pages/compare/strips_view.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "gui/drawing/plot/plot.h"

namespace quintet::gui {

StripsView::StripsView(ThemeNow theme, QWidget* parent)
    : QWidget(parent), theme_(std::move(theme)) {
  setAccessibleName("Timelines of one rank, side by side");
  setToolTip("");
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setMinimumSize(240, 120);
  setAttribute(Qt::WA_OpaquePaintEvent);
}

void StripsView::set_strips(Strips strips, Instant whole) {
  strips_ = std::move(strips);
  whole_ = whole;
  setAccessibleDescription(QString("%1 timelines, from %2 to %3 ms")
                               .arg(strips_.strips.size())
                               .arg(seconds(strips_.from).value * 1e3)
                               .arg(seconds(strips_.to).value * 1e3));
  update();
}

void StripsView::paint(QPainter& painter, const QSizeF& size) const {
  painter.fillRect(QRectF(QPointF(), size), theme_().paper);
  draw(painter, plot_place(size), theme_(), strips_);
}

void StripsView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  paint(painter, size());
  if (hasFocus()) {
    painter.setPen(QPen(theme_().accent, 1));
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
  }
  if (!pressed_ || !dragged_) return;
  QColor chosen = theme_().accent;
  chosen.setAlphaF(0.25F);
  painter.fillRect(QRectF(QPointF(*pressed_, 0), QPointF(*dragged_, height())).normalized(),
                   chosen);
}

double StripsView::time_at(double pixel) const {
  return strip_scale(strips_, plot_place(size())).value_at(pixel);
}

void StripsView::want(double from, double to) {
  const auto end = static_cast<double>(whole_.picoseconds);
  constexpr double least = 1e4;  // 10 ns
  const double length = std::clamp(to - from, least, end);
  const double begin = std::clamp(from, 0.0, end - length);
  if (length >= end) {
    emit whole_wanted();
    return;
  }
  emit range_wanted({std::llround(begin)}, {std::llround(begin + length)});
}

void StripsView::zoom(double about, double factor) {
  const auto from = static_cast<double>(strips_.from.picoseconds);
  const auto to = static_cast<double>(strips_.to.picoseconds);
  want(about + (from - about) * factor, about + (to - about) * factor);
}

void StripsView::move(double share) {
  const auto from = static_cast<double>(strips_.from.picoseconds);
  const auto to = static_cast<double>(strips_.to.picoseconds);
  want(from + (to - from) * share, to + (to - from) * share);
}

void StripsView::wheelEvent(QWheelEvent* event) {
  zoom(time_at(event->position().x()), std::pow(0.8, event->angleDelta().y() / 120.0));
  event->accept();
}

void StripsView::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) pressed_ = event->position().x();
}

void StripsView::mouseMoveEvent(QMouseEvent* event) {
  if (!pressed_) {
    const QString tip = strip_tip(strips_, plot_place(size()), event->position());
    if (tip.isEmpty())
      QToolTip::hideText();
    else
      QToolTip::showText(event->globalPosition().toPoint(), tip, this);
    return;
  }
  dragged_ = event->position().x();
  update();
}

void StripsView::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !pressed_) return;
  const double from = std::min(*pressed_, event->position().x());
  const double to = std::max(*pressed_, event->position().x());
  pressed_.reset();
  dragged_.reset();
  update();
  if (to - from > 4.0) want(std::max(0.0, time_at(from)), time_at(to));
}

void StripsView::keyPressEvent(QKeyEvent* event) {
  const double middle = 0.5 * static_cast<double>(strips_.from.picoseconds) +
                        0.5 * static_cast<double>(strips_.to.picoseconds);
  switch (event->key()) {
    case Qt::Key_W:
    case Qt::Key_Up:
      return zoom(middle, 0.7);
    case Qt::Key_S:
    case Qt::Key_Down:
      return zoom(middle, 1.0 / 0.7);
    case Qt::Key_A:
    case Qt::Key_Left:
      return move(-0.2);
    case Qt::Key_D:
    case Qt::Key_Right:
      return move(0.2);
    case Qt::Key_F:
    case Qt::Key_Escape:
      emit whole_wanted();
      return;
    default:
      QWidget::keyPressEvent(event);
  }
}

}  // namespace quintet::gui
