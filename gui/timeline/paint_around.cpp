// What surrounds the bars: labels, ruler, the map of the whole, the legend.
#include "gui/timeline/paint_timeline.h"
#include "gui/timeline/pieces.h"

namespace quintet::gui {

namespace {

constexpr int lane_left = 92;

QFont sized(const QPainter& painter, int pixels, bool bold = false) {
  QFont font = painter.font();
  font.setPixelSize(pixels);
  font.setBold(bold);
  return font;
}

// How many shown rows of one group follow each other from a place on.
std::size_t run_of_group(const Scene& scene, const TimelineView& view, std::size_t place) {
  const QString& group = scene.rows[row_at_place(view, place)].group;
  const std::size_t all =
      place < view.pinned.size() ? view.pinned.size() : view.pinned.size() + view.others.size();
  std::size_t next = place;
  while (next < all && scene.rows[row_at_place(view, next)].group == group) ++next;
  return next - place;
}

void elided(QPainter& painter, const QRect& box, const QString& text, Qt::Alignment where) {
  painter.drawText(box, static_cast<int>(where) | Qt::TextSingleLine,
                   painter.fontMetrics().elidedText(text, Qt::ElideRight, box.width()));
}

// The rank's name at the first of its rows that are seen, and what it stands for below.
void paint_group(QPainter& painter, const QRect& box, const Theme& theme, const SceneRow& row) {
  painter.setFont(sized(painter, 12, true));
  painter.setPen(theme.ink);
  const QRect first(box.left(), box.top(), box.width(), std::min(box.height(), 18));
  elided(painter, first, row.group, Qt::AlignLeft | Qt::AlignVCenter);
  if (box.height() < 34) return;
  painter.setFont(sized(painter, 11));
  painter.setPen(theme.soft_ink);
  painter.drawText(QRect(box.left(), box.top() + 18, box.width(), box.height() - 18),
                   Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap,
                   QString(row.group_note).replace(", ", "\n"));
}

}  // namespace

void paint_labels(QPainter& painter, const TimelineFrame& frame, const Theme& theme,
                  const Scene& scene, const TimelineView& view) {
  painter.save();
  painter.fillRect(frame.labels, theme.panel);
  const QString* before = nullptr;
  for_seen_rows(frame, view, [&](std::size_t place, int top, const QRect& area) {
    const std::size_t number = row_at_place(view, place);
    const SceneRow& row = scene.rows[number];
    const QRect clip(0, area.top(), frame.labels.width(), area.height());
    painter.setClipRect(clip);
    const QRect line(0, top, frame.labels.width(), frame.row_height);
    if (place == view.pinned.size()) before = nullptr;
    const bool new_group = before == nullptr || *before != row.group;
    if (new_group && before != nullptr && frame.row_height >= 6)
      painter.fillRect(QRect(0, top - 1, line.width(), 1), theme.frame);
    if (view.current_row == number) painter.fillRect(line, theme.accent);
    if (frame.row_height >= 11) {
      painter.setFont(sized(painter, std::min(frame.row_height - 5, 12)));
      painter.setPen(view.current_row == number ? theme.accent_ink : theme.ink);
      const QRect room = line.adjusted(lane_left, 0, -8, 0);
      // Its end says whether it was measured.
      painter.drawText(room, Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine,
                       painter.fontMetrics().elidedText(row.lane, Qt::ElideMiddle, room.width()));
    }
    if (new_group) {
      const auto rows = static_cast<int>(run_of_group(scene, view, place));
      const int room = rows * frame.row_height;
      if (room >= 12) paint_group(painter, {8, top + 1, lane_left - 10, room - 2}, theme, row);
    }
    before = &row.group;
  });
  painter.setClipping(false);
  painter.fillRect(QRect(frame.labels.right(), frame.labels.top(), 1, frame.labels.height()),
                   theme.frame);
  painter.restore();
}

void paint_ruler(QPainter& painter, const TimelineFrame& frame, const Theme& theme,
                 const TimelineView& view) {
  painter.save();
  painter.fillRect(frame.ruler.adjusted(-frame.ruler.left(), 0, 0, 0), theme.panel);
  painter.setFont(sized(painter, 12));
  const PixelScale scale = frame.scale(view);
  for (const RulerTick& tick : ruler_ticks(scale, 110)) {
    const int x = frame.ruler.left() + scale.pixel(tick.time);
    if (x < frame.ruler.left()) continue;
    painter.fillRect(QRect(x, frame.ruler.bottom() - 6, 1, 7), theme.soft_ink);
    painter.setPen(theme.ink);
    const QRect box(x + 4, frame.ruler.top(), 106, frame.ruler.height() - 2);
    if (box.left() + painter.fontMetrics().horizontalAdvance(tick.text) < frame.ruler.right())
      painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter, tick.text);
  }
  painter.setPen(theme.soft_ink);
  const double seen = view.window.to - view.window.from;
  painter.drawText(
      QRect(8, frame.ruler.top(), frame.ruler.left() - 16, frame.ruler.height() - 2),
      Qt::AlignLeft | Qt::AlignVCenter,
      "seen: " + QString::fromUtf8("") + length_text({static_cast<std::int64_t>(seen)}));
  painter.fillRect(QRect(0, frame.ruler.bottom(), frame.ruler.right() + 1, 1), theme.frame);
  painter.restore();
}

// A few rows of the whole step, evenly chosen among those that compute.
void paint_minimap(QPainter& painter, const TimelineFrame& frame, const Theme& theme,
                   const Scene& scene, const TimelineView& view) {
  painter.save();
  painter.fillRect(frame.minimap.adjusted(-frame.minimap.left(), 0, 0, 0), theme.panel);
  const QRect map = frame.minimap.adjusted(0, 4, 0, -4);
  std::vector<std::size_t> firsts;
  for (std::size_t row = 0; row < scene.rows.size(); ++row)
    if (scene.rows[row].first) firsts.push_back(row);
  const std::size_t lines = std::min<std::size_t>(firsts.size(), 8);
  const PixelScale scale = scale_of(scene.whole, map.width());
  for (std::size_t line = 0; line < lines; ++line) {
    const std::size_t row = firsts[line * firsts.size() / lines];
    const int top = map.top() + static_cast<int>(line) * map.height() / static_cast<int>(lines);
    const int next =
        map.top() + (static_cast<int>(line) + 1) * map.height() / static_cast<int>(lines);
    visit_pieces(scene.bars, row, scale, [&](const Piece& piece) {
      painter.fillRect(QRect(map.left() + piece.left, top, piece.right - piece.left,
                             std::max(next - top - 1, 1)),
                       color_of(theme, scene.bars.look(piece.bar)));
    });
  }
  const auto pixel = [&](double time) {
    return map.left() + scale.pixel(static_cast<std::int64_t>(time));
  };
  const int from = pixel(view.window.from), to = std::max(pixel(view.window.to), from + 3);
  QColor shade = theme.paper;
  shade.setAlpha(170);
  painter.fillRect(QRect(map.left(), map.top(), from - map.left(), map.height()), shade);
  painter.fillRect(QRect(to, map.top(), map.right() - to + 1, map.height()), shade);
  painter.setPen(QPen(theme.accent, 2));
  painter.drawRect(QRect(from + 1, frame.minimap.top() + 2, std::max(to - from - 2, 1),
                         frame.minimap.height() - 4));
  painter.setFont(sized(painter, 12));
  painter.setPen(theme.soft_ink);
  painter.drawText(QRect(8, map.top(), frame.minimap.left() - 16, map.height()),
                   Qt::AlignLeft | Qt::AlignVCenter, "whole step");
  painter.restore();
}

void paint_legend(QPainter& painter, const TimelineFrame& frame, const Theme& theme,
                  const TimelineView& view) {
  painter.save();
  painter.fillRect(frame.legend, theme.panel);
  painter.fillRect(QRect(0, frame.legend.top(), frame.legend.width(), 1), theme.frame);
  painter.setFont(sized(painter, 12));
  int x = 8;
  const int middle = frame.legend.center().y() + 1;
  const auto entry = [&](const QString& text, const auto& swatch) {
    const int width = painter.fontMetrics().horizontalAdvance(text);
    if (x + 20 + width > frame.legend.width()) return;
    swatch(QRect(x, middle - 6, 14, 12));
    painter.setPen(theme.ink);
    painter.drawText(QRect(x + 19, frame.legend.top(), width + 4, frame.legend.height()),
                     Qt::AlignLeft | Qt::AlignVCenter, text);
    x += width + 34;
  };
  for (const LookMeaning& each : look_meanings())
    entry(each.name, [&](const QRect& box) {
      painter.fillRect(box, color_of(theme, each.look));
      QBrush hatch = brush_of(theme, each.look);
      hatch.setColor(color_of(theme, each.look).darker(118));
      if (hatch.style() != Qt::SolidPattern) painter.fillRect(box, hatch);
    });
  entry("several, too narrow to tell apart", [&](const QRect& box) {
    painter.fillRect(box, theme.looks[0]);
    painter.fillRect(box, QBrush(theme.looks[0].darker(165), Qt::Dense4Pattern));
  });
  if (view.path)
    entry("critical path", [&](const QRect& box) {
      painter.setPen(QPen(theme.ink, 2));
      painter.drawLine(box.left(), box.bottom(), box.right(), box.bottom());
      painter.drawLine(box.left(), box.top() + 1, box.right(), box.top() + 1);
    });
  painter.restore();
}

}  // namespace quintet::gui
