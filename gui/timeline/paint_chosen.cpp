// What is drawn over the bars: the critical path, messages, what is searched, selected and marked.
#include <QPainterPath>

#include "gui/timeline/paint_timeline.h"
#include "gui/timeline/pieces.h"

namespace quintet::gui {

namespace {

constexpr std::size_t most_messages = 400;

// Rows of the scene to y, for those that are seen.
class Places {
 public:
  Places(const TimelineFrame& frame, const Scene& scene, const TimelineView& view)
      : frame_(frame), view_(view), place_of_(scene.rows.size(), -1) {
    for (std::size_t place = 0; place < view.pinned.size() + view.others.size(); ++place)
      place_of_[row_at_place(view, place)] = static_cast<std::int32_t>(place);
  }

  // The top of its bars; none: the row is hidden. It may lie outside of the picture.
  std::optional<int> top(std::size_t row) const {
    if (row >= place_of_.size() || place_of_[row] < 0) return std::nullopt;
    return frame_.top_of(static_cast<std::size_t>(place_of_[row]), view_);
  }

 private:
  const TimelineFrame& frame_;
  const TimelineView& view_;
  std::vector<std::int32_t> place_of_;
};

QRect area_of(const TimelineFrame& frame) {
  return {frame.rows.left(), frame.pinned.top(), frame.rows.width(),
          frame.rows.top() + frame.rows.height() - frame.pinned.top()};
}

}  // namespace

namespace {

// A frame around what is wide enough for one, else a line below it; and from where the piece before
// it was.
void paint_path_piece(QPainter& painter, const TimelineFrame& frame, const Theme& theme,
                      const QRect& box, std::optional<int> row_before) {
  const int edge = box.height() >= 12 ? 2 : 1;
  const bool wide = box.width() >= 6;
  painter.fillRect(QRect(box.left(), box.bottom() + 1 - edge, box.width(), edge), theme.ink);
  if (wide) painter.fillRect(QRect(box.left(), box.top(), box.width(), edge), theme.ink);
  if (!row_before || *row_before == box.top()) return;
  const int from = std::min(*row_before, box.top()), to = std::max(*row_before, box.top());
  // Between the lanes of one rank only where it can be seen what goes where.
  if (to - from < 8 * frame.row_height && !wide) return;
  painter.fillRect(QRect(box.left() - 1, from, edge, to - from + box.height()), theme.ink);
}

}  // namespace

void paint_path(QPainter& painter, const TimelineFrame& frame, const Theme& theme,
                const Scene& scene, const TimelineView& view) {
  painter.save();
  painter.setClipRect(area_of(frame));
  const PixelScale scale = frame.scale(view);
  const Places places(frame, scene, view);
  for (const SceneSource& source : scene.sources) {
    const auto later = [&](std::int64_t time) { return time + source.shift.picoseconds; };
    auto piece = std::lower_bound(source.path.begin(), source.path.end(), scale.from,
                                  [&](const PathPiece& each, double from) {
                                    return static_cast<double>(later(each.to.picoseconds)) < from;
                                  });
    std::optional<int> row_before;
    const double end = view.window.to;
    int drawn_to = -1, drawn_row = -1;
    for (; piece != source.path.end() && static_cast<double>(later(piece->from.picoseconds)) < end;
         ++piece) {
      const int left = scale.pixel(later(piece->from.picoseconds));
      const int right = std::max(left + 1, scale.pixel(later(piece->to.picoseconds)));
      const std::size_t row = scene.row_of(source, *piece);
      const std::optional<int> top = places.top(row);
      // Pieces that share their pixels are drawn once.
      if (right <= drawn_to && static_cast<int>(row) == drawn_row) continue;
      drawn_to = right;
      drawn_row = static_cast<int>(row);
      if (top)
        paint_path_piece(painter, frame, theme,
                         QRect(frame.rows.left() + left, *top, right - left, frame.bar_height()),
                         row_before);
      row_before = top;
    }
  }
  painter.restore();
}

namespace {

void paint_message(QPainter& painter, const Scene& scene, const PixelScale& scale,
                   const Places& places, const TimelineFrame& frame, std::size_t send,
                   std::size_t receive) {
  const auto from = places.top(scene.bars.row_of(send)),
             to = places.top(scene.bars.row_of(receive));
  if (!from || !to) return;
  const double middle = frame.bar_height() / 2.0;
  const QPointF begin(frame.rows.left() + scale.position(scene.bars.start(send)), *from + middle);
  const QPointF end(frame.rows.left() + scale.position(scene.bars.end(receive)), *to + middle);
  const double bend = std::clamp((end.x() - begin.x()) / 2, 12.0, 120.0);
  QPainterPath curve(begin);
  curve.cubicTo(begin + QPointF(bend, 0), end - QPointF(bend, 0), end);
  painter.drawPath(curve);
  const QPolygonF arrow{end, end + QPointF(-7, -4), end + QPointF(-7, 4)};
  painter.setBrush(painter.pen().color());
  painter.drawPolygon(arrow);
  painter.setBrush(Qt::NoBrush);
}

// Those of which an end is seen; none at all where there are too many to follow.
std::vector<Message> seen_messages(const SceneSource& source, const Scene& scene,
                                   const TimelineView& view) {
  std::vector<Message> seen;
  for (const Message& each : source.messages) {
    const auto begin = static_cast<double>(scene.bars.start(source.bar_of_span[each.send]));
    const auto end = static_cast<double>(scene.bars.end(source.bar_of_span[each.receive]));
    if (begin > view.window.to) break;
    if (std::max(begin, end) < view.window.from) continue;
    seen.push_back(each);
    if (seen.size() > most_messages) return {};
  }
  return seen;
}

}  // namespace

void paint_messages(QPainter& painter, const TimelineFrame& frame, const Theme& theme,
                    const Scene& scene, const TimelineView& view) {
  painter.save();
  painter.setClipRect(area_of(frame));
  painter.setRenderHint(QPainter::Antialiasing);
  const PixelScale scale = frame.scale(view);
  const Places places(frame, scene, view);
  if (view.messages && frame.row_height >= 8) {
    QColor soft = theme.soft_ink;
    soft.setAlpha(150);
    painter.setPen(QPen(soft, 1));
    for (const SceneSource& source : scene.sources)
      for (const Message& each : seen_messages(source, scene, view))
        paint_message(painter, scene, scale, places, frame, source.bar_of_span[each.send],
                      source.bar_of_span[each.receive]);
  }
  if (view.selected)
    if (const auto other = scene.other_end(*view.selected)) {
      painter.setPen(QPen(theme.accent, 2.5));
      const bool sends = scene.info_of(*view.selected)->kind == SpanKind::send;
      paint_message(painter, scene, scale, places, frame, sends ? *view.selected : *other,
                    sends ? *other : *view.selected);
    }
  painter.restore();
}

namespace {

void paint_range(QPainter& painter, const TimelineFrame& frame, const Theme& theme,
                 const PixelScale& scale, const TimeWindow& range) {
  const int from = frame.rows.left() + scale.pixel(static_cast<std::int64_t>(range.from));
  const int to = frame.rows.left() + scale.pixel(static_cast<std::int64_t>(range.to));
  QColor fill = theme.accent;
  fill.setAlpha(45);
  const QRect box(from, frame.ruler.top(), std::max(to - from, 1),
                  frame.rows.top() + frame.rows.height() - frame.ruler.top());
  painter.fillRect(box, fill);
  painter.fillRect(QRect(box.left(), box.top(), 1, box.height()), theme.accent);
  painter.fillRect(QRect(box.right(), box.top(), 1, box.height()), theme.accent);
  QFont font = painter.font();
  font.setPixelSize(12);
  painter.setFont(font);
  const QString text = length_text({static_cast<std::int64_t>(range.to - range.from)});
  const int width = painter.fontMetrics().horizontalAdvance(text) + 10;
  const QRect flag(std::clamp(box.center().x() - width / 2, frame.rows.left(),
                              std::max(frame.rows.right() - width, frame.rows.left())),
                   frame.ruler.top() + 2, width, frame.ruler.height() - 5);
  painter.fillRect(flag, theme.accent);
  painter.setPen(theme.accent_ink);
  painter.drawText(flag, Qt::AlignCenter, text);
}

void paint_marks(QPainter& painter, const TimelineFrame& frame, const Theme& theme,
                 const PixelScale& scale, const TimelineView& view) {
  QFont font = painter.font();
  font.setPixelSize(11);
  painter.setFont(font);
  for (std::size_t number = 0; number < view.marks.size(); ++number) {
    const int x = frame.rows.left() + scale.pixel(view.marks[number]);
    painter.setPen(QPen(theme.warning, 1, Qt::DashLine));
    painter.drawLine(x, frame.ruler.top(), x, frame.rows.bottom());
    const QString text = QString("M%1").arg(number + 1);
    const QRect flag(x, frame.ruler.top(), painter.fontMetrics().horizontalAdvance(text) + 6, 14);
    painter.fillRect(flag, theme.warning);
    painter.setPen(ink_on(theme.warning));
    painter.drawText(flag, Qt::AlignCenter, text);
  }
}

void outline(QPainter& painter, const TimelineFrame& frame, const Scene& scene,
             const PixelScale& scale, const Places& places, std::size_t bar, const QColor& color,
             int width) {
  const auto top = places.top(scene.bars.row_of(bar));
  if (!top) return;
  const Piece piece = piece_of_bar(scene.bars, bar, scale);
  painter.setPen(QPen(color, width));
  painter.drawRect(QRect(frame.rows.left() + piece.left - 1, *top - 1, piece.right - piece.left + 1,
                         frame.bar_height() + 1));
}

void paint_matches(QPainter& painter, const TimelineFrame& frame, const Theme& theme,
                   const Scene& scene, const TimelineView& view, const PixelScale& scale) {
  for_seen_rows(frame, view, [&](std::size_t place, int top, const QRect& area) {
    visit_pieces(scene.bars, row_at_place(view, place), scale, [&](const Piece& piece) {
      const auto first = view.matched.begin() + static_cast<std::ptrdiff_t>(piece.first);
      const auto last = first + static_cast<std::ptrdiff_t>(std::min<std::size_t>(piece.count, 64));
      if (std::find(first, last, true) == last) return;
      const int height = std::max(2, frame.bar_height() / 4);
      painter.fillRect(QRect(area.left() + piece.left, top + frame.bar_height() - height,
                             std::max(piece.right - piece.left, 2), height),
                       theme.warning);
    });
  });
}

}  // namespace

void paint_chosen(QPainter& painter, const TimelineFrame& frame, const Theme& theme,
                  const Scene& scene, const TimelineView& view) {
  painter.save();
  const QRect area = area_of(frame);
  painter.setClipRect(area.adjusted(0, frame.ruler.top() - area.top(), 0, 0));
  const PixelScale scale = frame.scale(view);
  const Places places(frame, scene, view);
  if (!view.matched.empty()) paint_matches(painter, frame, theme, scene, view, scale);
  if (view.selected) {
    painter.setClipRect(area);
    outline(painter, frame, scene, scale, places, *view.selected, theme.paper, 4);
    outline(painter, frame, scene, scale, places, *view.selected, theme.accent, 2);
    painter.setClipRect(area.adjusted(0, frame.ruler.top() - area.top(), 0, 0));
  }
  if (view.range) paint_range(painter, frame, theme, scale, *view.range);
  paint_marks(painter, frame, theme, scale, view);
  painter.restore();
}

}  // namespace quintet::gui
