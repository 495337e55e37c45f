#include "gui/pages/topology/machine_canvas.h"

#include <QAccessible>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "gui/models/link_table.h"
#include "gui/pages/topology/paint_fabric.h"
#include "sim/topology/describe/readable.h"

namespace quintet::gui {

namespace {

constexpr double near_line = 6, least_zoom = 0.02, most_zoom = 8, drag_begins = 4;

QString percent(double share) {
  return QString("%1 %").arg(share * 100, 0, 'f', 2);
}

QString trouble_text(const LoadSum& sum) {
  QString text;
  const auto say = [&](int count, const char* word) {
    if (count > 0) text += QString("\n%1 %2").arg(count).arg(word);
  };
  say(sum.failed, "failed");
  say(sum.slow, "slow");
  say(sum.late, "late");
  return text;
}

}  // namespace

QString box_text(const FabricPicture& picture, int box) {
  const Box& shown = picture.layout.boxes[static_cast<std::size_t>(box)];
  const Part& part = picture.machine->tree.parts[static_cast<std::size_t>(shown.part)];
  QString text = QString::fromStdString(part.name);
  if (!part.count.empty()) text += "\n" + QString::fromStdString(part.count);
  const LoadSum& sum = picture.sums.boxes[static_cast<std::size_t>(box)];
  if (shown.open || sum.links == 0) return text;
  text += QString("\n%1 links inside").arg(sum.links);
  if (picture.loaded)
    text += QString(": busiest %1, mean %2").arg(percent(sum.worst), percent(sum.mean));
  return text + trouble_text(sum);
}

QString bundle_text(const FabricPicture& picture, int bundle) {
  const Bundle& shown = picture.layout.bundles[static_cast<std::size_t>(bundle)];
  const auto name = [&](int box) {
    const Box& end = picture.layout.boxes[static_cast<std::size_t>(box)];
    return QString::fromStdString(
        picture.machine->tree.parts[static_cast<std::size_t>(end.part)].name);
  };
  const LoadSum& sum = picture.sums.bundles[static_cast<std::size_t>(bundle)];
  QString text = name(shown.one) + " - " + name(shown.other);
  text += QString("\n%1 links, each direction counted").arg(sum.links);
  if (picture.loaded)
    text += QString("\nbusiest %1, mean %2, all together %3")
                .arg(percent(sum.worst), percent(sum.mean),
                     QString::fromStdString(readable(Bytes{sum.bytes})));
  return text + trouble_text(sum);
}

MachineCanvas::MachineCanvas(const FabricPicture& picture, QWidget* parent)
    : QWidget(parent), picture_(picture), theme_(&theme_of(Appearance::light)) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAccessibleName("Picture of the machine");
  setAccessibleDescription(
      "Arrow keys go from part to part, Enter unfolds, Backspace folds, brackets go through links");
}

void MachineCanvas::set_theme(const Theme& theme) {
  theme_ = &theme;
  update();
}

void MachineCanvas::tell_chosen(const QString& text) {
  setAccessibleDescription(text);
  QAccessibleEvent changed(this, QAccessible::DescriptionChanged);
  QAccessible::updateAccessibility(&changed);
}

void MachineCanvas::fit() {
  fitted_ = true;
  view_ = fitting(picture_, size());
  update();
}

void MachineCanvas::show_other_boxes(std::optional<QPointF> old_place,
                                     std::optional<QPointF> new_place) {
  if (fitted_ || !old_place || !new_place) return fit();
  const QPointF shift = view_.map(*old_place) - view_.map(*new_place);
  pan(shift);
}

void MachineCanvas::zoom(double factor, std::optional<QPointF> around) {
  const QPointF at = around.value_or(QPointF(width() / 2.0, height() / 2.0));
  const double now = view_.m11();
  const double wanted = std::clamp(now * factor, least_zoom, most_zoom);
  fitted_ = false;
  QTransform next;
  next.translate(at.x(), at.y());
  next.scale(wanted / now, wanted / now);
  next.translate(-at.x(), -at.y());
  view_ = view_ * next;
  update();
}

void MachineCanvas::pan(const QPointF& by) {
  fitted_ = false;
  view_ = view_ * QTransform::fromTranslate(by.x(), by.y());
  update();
}

void MachineCanvas::reveal(const QRectF& rect) {
  const QRectF shown = view_.mapRect(rect);
  const QRectF room(8, 28, width() - 16, height() - legend_height - 36);
  QPointF by;
  if (shown.left() < room.left()) by.setX(room.left() - shown.left());
  if (shown.right() > room.right()) by.setX(room.right() - shown.right());
  if (shown.top() < room.top()) by.setY(room.top() - shown.top());
  if (shown.bottom() > room.bottom()) by.setY(room.bottom() - shown.bottom());
  if (!by.isNull()) pan(by);
}

bool MachineCanvas::over_legend(const QPointF& place) const {
  return place.y() > height() - legend_height;
}

QString MachineCanvas::told_at(const QPointF& place) const {
  if (picture_.machine == nullptr || over_legend(place)) return "";
  const QPointF inside = view_.inverted().map(place);
  if (const int box = box_at(picture_, inside); box >= 0) return box_text(picture_, box);
  const int bundle = bundle_at(picture_, inside, near_line / view_.m11());
  return bundle >= 0 ? bundle_text(picture_, bundle) : "";
}

bool MachineCanvas::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto& help = *static_cast<QHelpEvent*>(event);
    QToolTip::showText(help.globalPos(), told_at(help.pos()), this);
    return true;
  }
  return QWidget::event(event);
}

void MachineCanvas::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  paint_fabric(painter, size(), picture_, *theme_, view_);
  if (!hasFocus()) return;
  painter.setPen(QPen(theme_->accent, 1, Qt::DotLine));
  painter.drawRect(rect().adjusted(1, 1, -2, -2));
}

void MachineCanvas::resizeEvent(QResizeEvent*) {
  if (fitted_) fit();
}

void MachineCanvas::wheelEvent(QWheelEvent* event) {
  const double steps = event->angleDelta().y() / 120.0;
  if (event->modifiers() & Qt::ShiftModifier)
    pan({steps * 60, 0});
  else
    zoom(std::pow(1.2, steps), event->position());
}

void MachineCanvas::choose_at(const QPointF& place) {
  if (picture_.machine == nullptr || over_legend(place)) return;
  const QPointF inside = view_.inverted().map(place);
  if (const int box = box_at(picture_, inside); box >= 0) {
    emit box_chosen(box);
    return;
  }
  const int bundle = bundle_at(picture_, inside, near_line / view_.m11());
  if (bundle >= 0)
    emit bundle_chosen(bundle);
  else
    emit nothing_chosen();
}

void MachineCanvas::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::RightButton) return choose_at(event->position());
  pressed_ = event->position();
  dragged_ = false;
}

void MachineCanvas::mouseMoveEvent(QMouseEvent* event) {
  if (!pressed_ || !(event->buttons() & (Qt::LeftButton | Qt::MiddleButton))) return;
  const QPointF by = event->position() - *pressed_;
  if (!dragged_ && by.manhattanLength() < drag_begins) return;
  dragged_ = true;
  setCursor(Qt::ClosedHandCursor);
  pan(by);
  pressed_ = event->position();
}

void MachineCanvas::mouseReleaseEvent(QMouseEvent* event) {
  if (pressed_ && !dragged_ && event->button() == Qt::LeftButton) choose_at(event->position());
  pressed_.reset();
  unsetCursor();
}

void MachineCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
  if (picture_.machine == nullptr || over_legend(event->position())) return;
  const int box = box_at(picture_, view_.inverted().map(event->position()));
  if (box >= 0)
    emit box_opened(box);
  else
    zoom(1.5, event->position());
}

void MachineCanvas::keyPressEvent(QKeyEvent* event) {
  const bool shift = event->modifiers() & Qt::ShiftModifier;
  const auto go = [&](double x, double y) {
    if (shift)
      pan({-60 * x, -60 * y});
    else
      emit moved_towards({x, y});
  };
  switch (event->key()) {
    case Qt::Key_Left:
      return go(-1, 0);
    case Qt::Key_Right:
      return go(1, 0);
    case Qt::Key_Up:
      return go(0, -1);
    case Qt::Key_Down:
      return go(0, 1);
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
      if (picture_.chosen_box >= 0) emit box_opened(picture_.chosen_box);
      return;
    case Qt::Key_Backspace:
      emit closed();
      return;
    case Qt::Key_BracketRight:
      emit next_link(1);
      return;
    case Qt::Key_BracketLeft:
      emit next_link(-1);
      return;
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      return zoom(1.25);
    case Qt::Key_Minus:
      return zoom(0.8);
    case Qt::Key_F:
    case Qt::Key_0:
      return fit();
    case Qt::Key_Escape:
      emit nothing_chosen();
      return;
    default:
      QWidget::keyPressEvent(event);
  }
}

void MachineCanvas::contextMenuEvent(QContextMenuEvent* event) {
  emit menu_asked(event->globalPos());
}

}  // namespace quintet::gui
