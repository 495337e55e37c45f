#include "gui/timeline/timeline_widget.h"

#include <QHelpEvent>
#include <QPaintEvent>
#include <QToolTip>

#include "gui/timeline/paint_timeline.h"
#include "gui/widgets/owned.h"

namespace quintet::gui {

TimelineWidget::TimelineWidget(QWidget* parent)
    : QWidget(parent),
      theme_(&theme_of(Appearance::light)),
      scroll_bar_(&owned<QScrollBar>(Qt::Vertical, this)) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setMinimumSize(420, 150);
  setAccessibleName("Timeline");
  setAccessibleDescription(
      "Bars of what each rank did when. W and S zoom, A and D move, . and , walk from bar to bar; "
      "the table shows the same as text.");
  scroll_bar_->setAccessibleName("Rows of the timeline");
  connect(scroll_bar_, &QScrollBar::valueChanged, this, [this](int value) {
    if (value == view_.scroll) return;
    view_.scroll = value;
    bars_changed();
  });
  add_actions();
}

QAction* TimelineWidget::action(const QString& name) const {
  return by_name_.value(name);
}

QSize TimelineWidget::picture_size() const {
  return {width() - scroll_bar_->sizeHint().width(), height()};
}

void TimelineWidget::set_scene(std::unique_ptr<const Scene> scene) {
  const bool seen_whole = !scene_ || view_.window == scene_->whole;
  const TimelineView before = std::move(view_);
  scene_ = std::move(scene);
  view_ = scene_ ? whole_view(*scene_) : TimelineView{};
  view_.path = before.path;
  view_.messages = before.messages;
  view_.row_height = before.row_height;
  if (scene_) {
    if (!seen_whole) view_.window = kept_inside(before.window, scene_->whole);
    view_.range = before.range;
    view_.marks = before.marks;
    view_.scroll = before.scroll;
  }
  find_rows();
  emit selection_changed();
  emit window_changed();
}

void TimelineWidget::set_theme(const Theme& theme) {
  theme_ = &theme;
  bars_changed();
}

void TimelineWidget::bars_changed() {
  bars_ = {};
  update();
}

QString TimelineWidget::row_name(std::size_t row) const {
  return scene_->rows[row].group + "|" + scene_->rows[row].lane;
}

void TimelineWidget::find_rows() {
  view_.pinned.clear();
  view_.others.clear();
  if (scene_) {
    for (const std::size_t row : filtered_rows(*scene_, filter_))
      if (!hidden_.contains(row_name(row)) && !pinned_.contains(row_name(row)))
        view_.others.push_back(row);
    for (std::size_t row = 0; row < scene_->rows.size(); ++row)
      if (pinned_.contains(row_name(row))) view_.pinned.push_back(row);
  }
  place_scroll_bar();
  bars_changed();
  emit rows_changed();
}

void TimelineWidget::place_scroll_bar() {
  const TimelineFrame now = frame();
  const int width = scroll_bar_->sizeHint().width();
  scroll_bar_->setGeometry(this->width() - width, now.ruler.bottom() + 1, width,
                           now.legend.top() - now.ruler.bottom() - 1);
  const int most = now.most_scroll(view_);
  view_.scroll = std::clamp(view_.scroll, 0, most);
  scroll_bar_->setRange(0, most);
  scroll_bar_->setPageStep(std::max(now.rows.height(), 1));
  scroll_bar_->setSingleStep(std::max(view_.row_height, 8));
  scroll_bar_->setValue(view_.scroll);
}

void TimelineWidget::resizeEvent(QResizeEvent*) {
  place_scroll_bar();
  bars_changed();
}

void TimelineWidget::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), theme_->panel);
  if (!scene_) {
    painter.setPen(theme_->soft_ink);
    painter.drawText(rect(), Qt::AlignCenter, "No step is predicted and no recording is open yet");
    return;
  }
  if (bars_.isNull())
    bars_ = bars_image(picture_size(), *theme_, *scene_, view_, devicePixelRatioF());
  paint_timeline(painter, picture_size(), *theme_, *scene_, view_, &bars_);
  if (hasFocus()) {
    painter.setPen(QPen(theme_->accent, 1));
    painter.drawRect(QRect(QPoint(0, 0), picture_size()).adjusted(0, 0, -1, -1));
  }
}

void TimelineWidget::set_window(const TimeWindow& window) {
  if (!scene_) return;
  view_.window = kept_inside(window, scene_->whole);
  bars_changed();
  emit window_changed();
}

void TimelineWidget::zoom(double factor, double at) {
  if (scene_) set_window(zoomed(view_.window, factor, at, scene_->whole));
}

void TimelineWidget::pan(double share) {
  if (scene_) set_window(panned(view_.window, share, scene_->whole));
}

void TimelineWidget::scroll_by(int pixels) {
  scroll_bar_->setValue(view_.scroll + pixels);
}

void TimelineWidget::fit() {
  if (!scene_) return;
  TimeWindow wished = scene_->whole;
  if (view_.selected) {
    const auto from = static_cast<double>(scene_->bars.start(*view_.selected));
    const auto to = static_cast<double>(scene_->bars.end(*view_.selected));
    const double room = std::max((to - from) * 0.1, shortest_window / 2);
    wished = kept_inside({from - room, to + room}, scene_->whole);
  } else if (view_.range) {
    wished = kept_inside(*view_.range, scene_->whole);
  }
  set_window(wished == view_.window ? scene_->whole : wished);
}

void TimelineWidget::select(std::optional<std::size_t> bar) {
  view_.selected = bar;
  if (bar) {
    view_.current_row = scene_->bars.row_of(*bar);
    reveal(*bar);
  }
  update();
  emit selection_changed();
}

void TimelineWidget::reveal(std::size_t bar) {
  const BarStore& bars = scene_->bars;
  const TimeWindow window =
      showing(view_.window, Instant{bars.start(bar)}, Instant{bars.end(bar)}, scene_->whole);
  if (!(window == view_.window)) set_window(window);
  if (!place_of_row(view_, bars.row_of(bar))) {
    // It was filtered out or hidden.
    hidden_.remove(row_name(bars.row_of(bar)));
    filter_.clear();
    find_rows();
  }
  const std::size_t place = *place_of_row(view_, bars.row_of(bar));
  if (place < view_.pinned.size()) return;
  const TimelineFrame now = frame();
  const int top = now.top_of(place, view_);
  if (top < now.rows.top()) scroll_by(top - now.rows.top());
  const int below = top + now.row_height - (now.rows.top() + now.rows.height());
  if (below > 0) scroll_by(below);
}

void TimelineWidget::choose_range(std::optional<TimeWindow> range) {
  show_range(range);
  emit range_chosen();
}

void TimelineWidget::show_range(std::optional<TimeWindow> range) {
  if (view_.range == range) return;
  view_.range = range;
  update();
}

void TimelineWidget::set_matched(std::vector<bool> matched) {
  view_.matched = std::move(matched);
  update();
}

void TimelineWidget::set_filter(const QString& words) {
  filter_ = words;
  view_.scroll = 0;
  find_rows();
}

void TimelineWidget::toggle_pin() {
  if (!scene_ || !view_.current_row) return;
  const QString name = row_name(*view_.current_row);
  if (!pinned_.remove(name)) pinned_.insert(name);
  find_rows();
}

void TimelineWidget::hide_row() {
  if (!scene_ || !view_.current_row) return;
  hidden_.insert(row_name(*view_.current_row));
  view_.current_row.reset();
  find_rows();
}

void TimelineWidget::show_all_rows() {
  hidden_.clear();
  filter_.clear();
  find_rows();
}

void TimelineWidget::set_row_height(int height) {
  view_.row_height = std::clamp(height, 2, 40);
  place_scroll_bar();
  bars_changed();
}

std::int64_t TimelineWidget::time_at(int x) const {
  const TimelineFrame now = frame();
  return now.scale(view_).time(x - now.rows.left());
}

std::optional<BarAt> TimelineWidget::bar_under(QPoint at) const {
  const TimelineFrame now = frame();
  if (!scene_ || at.x() < now.rows.left()) return std::nullopt;
  const auto place = now.place_at(at.y(), view_);
  if (!place) return std::nullopt;
  return bar_at(*scene_, row_at_place(view_, *place), now.scale(view_), at.x() - now.rows.left());
}

bool TimelineWidget::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto& help = static_cast<const QHelpEvent&>(*event);
  const auto under = bar_under(help.pos());
  if (!under) {
    QToolTip::hideText();
    return true;
  }
  QString text =
      under->count > 1
          ? QString("<b>%L1 bars</b>, too narrow here; the longest:<br>").arg(under->count)
          : QString();
  for (const auto& [name, value] : facts_of(*scene_, under->bar))
    text += QString("%1: <b>%2</b><br>").arg(name, value.toHtmlEscaped());
  QToolTip::showText(help.globalPos(), text, this);
  return true;
}

}  // namespace quintet::gui
