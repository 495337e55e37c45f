#include "gui/widgets/plot_view.h"

#include <QAccessible>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

namespace quintet::gui {

PlotView::PlotView(ThemeNow theme, const QString& name, QWidget* parent)
    : QWidget(parent), theme_(std::move(theme)) {
  setAccessibleName(name);
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setMinimumSize(240, 140);
  setAttribute(Qt::WA_OpaquePaintEvent);
}

std::vector<Mark> PlotView::marks() const {
  return plot_.marks ? plot_.marks(plot_place(size())) : std::vector<Mark>();
}

void PlotView::set_plot(Plot plot) {
  plot_ = std::move(plot);
  if (chosen_ && !mark_of(marks(), *chosen_)) chosen_.reset();
  hovered_.reset();
  update();
}

void PlotView::choose(std::optional<int> id) {
  if (id == chosen_) return;
  chosen_ = id;
  update();
  if (!id) return;
  const auto all = marks();
  if (const auto found = mark_of(all, *id)) {
    setAccessibleDescription(all[*found].tip);
    QAccessibleEvent told(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&told);
  }
  emit chosen_changed(*id);
}

void PlotView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const bool shows_choice = hasFocus() || hovered_;
  paint_plot(painter, size(), theme_(), plot_,
             hovered_ ? hovered_ : shows_choice ? chosen_ : std::nullopt);
}

void PlotView::mouseMoveEvent(QMouseEvent* event) {
  const auto all = marks();
  const auto found = mark_at(all, event->position());
  const std::optional<int> id = found ? std::optional(all[*found].id) : std::nullopt;
  if (found)
    QToolTip::showText(event->globalPosition().toPoint(), all[*found].tip, this);
  else
    QToolTip::hideText();
  if (id == hovered_) return;
  hovered_ = id;
  setCursor(id ? Qt::PointingHandCursor : Qt::ArrowCursor);
  update();
}

void PlotView::leaveEvent(QEvent* event) {
  hovered_.reset();
  update();
  QWidget::leaveEvent(event);
}

void PlotView::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  const auto all = marks();
  const auto found = mark_at(all, event->position());
  if (!found) return;
  choose(all[*found].id);
  emit opened(all[*found].id);
}

void PlotView::focusInEvent(QFocusEvent* event) {
  QWidget::focusInEvent(event);
  const auto all = marks();
  if (!chosen_ && !all.empty()) choose(all.front().id);
}

void PlotView::walk(Toward toward) {
  const auto all = marks();
  const auto from = chosen_ ? mark_of(all, *chosen_) : std::nullopt;
  const auto to = next_mark(all, from, toward);
  if (!to) return;
  choose(all[*to].id);
  QToolTip::showText(mapToGlobal(all[*to].area.bottomRight().toPoint()), all[*to].tip, this);
}

void PlotView::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Left:
      return walk(Toward::left);
    case Qt::Key_Right:
      return walk(Toward::right);
    case Qt::Key_Up:
      return walk(Toward::up);
    case Qt::Key_Down:
      return walk(Toward::down);
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (chosen_) emit opened(*chosen_);
      return;
    default:
      QWidget::keyPressEvent(event);
  }
}

}  // namespace quintet::gui
