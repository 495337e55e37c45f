// The mouse in a TimelineWidget.
#include <QMouseEvent>
#include <QWheelEvent>
#include <cmath>

#include "gui/timeline/timeline_widget.h"

namespace quintet::gui {

namespace {

constexpr int least_drag = 4;  // pixels; what moves less is a click

}  // namespace

void TimelineWidget::wheelEvent(QWheelEvent* event) {
  const TimelineFrame now = frame();
  const double turns = event->angleDelta().y() / 120.0, across = event->angleDelta().x() / 120.0;
  if ((event->modifiers() & Qt::ControlModifier) != 0) {
    const double at = (event->position().x() - now.rows.left()) / now.rows.width();
    zoom(std::pow(0.8, turns), std::clamp(at, 0.0, 1.0));
  } else if ((event->modifiers() & Qt::ShiftModifier) != 0 || across != 0) {
    pan(-0.1 * (turns + across));
  } else {
    scroll_by(static_cast<int>(-turns * 3 * std::max(view_.row_height, 8)));
  }
  event->accept();
}

void TimelineWidget::mousePressEvent(QMouseEvent* event) {
  if (!scene_ || event->button() == Qt::RightButton) return;
  pressed_ = cursor_ = event->position().toPoint();
  window_pressed_ = view_.window;
  scroll_pressed_ = view_.scroll;
  const TimelineFrame now = frame();
  if (now.minimap.contains(pressed_)) {
    drag_ = Drag::minimap;
    move_window_to(pressed_.x());
  } else if (pressed_.x() >= now.rows.left() && !now.legend.contains(pressed_)) {
    const bool pans =
        (event->modifiers() & Qt::ShiftModifier) != 0 || event->button() == Qt::MiddleButton;
    drag_ = pans ? Drag::pan : Drag::range;
  } else if (const auto place = now.place_at(pressed_.y(), view_)) {
    view_.current_row = row_at_place(view_, *place);
    update();
  }
}

void TimelineWidget::mouseMoveEvent(QMouseEvent* event) {
  cursor_ = event->position().toPoint();
  const QPoint by = cursor_ - pressed_;
  switch (drag_) {
    case Drag::none:
      return;
    case Drag::minimap:
      return move_window_to(cursor_.x());
    case Drag::pan: {
      const TimelineFrame now = frame();
      view_.window = window_pressed_;
      pan(-static_cast<double>(by.x()) / now.rows.width());
      return scroll_bar_->setValue(scroll_pressed_ - by.y());
    }
    case Drag::range:
      if (std::abs(by.x()) < least_drag) return;
      const auto one = static_cast<double>(time_at(pressed_.x()));
      const auto other = static_cast<double>(time_at(cursor_.x()));
      const TimeWindow& whole = scene_->whole;
      return show_range(TimeWindow{std::clamp(std::min(one, other), whole.from, whole.to),
                                   std::clamp(std::max(one, other), whole.from, whole.to)});
  }
}

void TimelineWidget::mouseReleaseEvent(QMouseEvent* event) {
  const Drag ended = std::exchange(drag_, Drag::none);
  if (ended != Drag::range) return;
  if (std::abs(event->position().toPoint().x() - pressed_.x()) >= least_drag) {
    emit range_chosen();
    return;
  }
  const auto under = bar_under(event->position().toPoint());
  if (under) {
    select(under->bar);
    return;
  }
  if (const auto place = frame().place_at(pressed_.y(), view_))
    view_.current_row = row_at_place(view_, *place);
  select(std::nullopt);
}

void TimelineWidget::mouseDoubleClickEvent(QMouseEvent* event) {
  const auto under = bar_under(event->position().toPoint());
  if (!under) return;
  select(under->bar);
  fit();
}

// Its middle there.
void TimelineWidget::move_window_to(int x) {
  const TimelineFrame now = frame();
  const double share = static_cast<double>(x - now.minimap.left()) / now.minimap.width();
  const double length = view_.window.to - view_.window.from;
  const double middle = scene_->whole.from + share * (scene_->whole.to - scene_->whole.from);
  set_window({middle - length / 2, middle + length / 2});
}

}  // namespace quintet::gui
