// Bars as rectangles, and the names in them.
#include "gui/timeline/paint_timeline.h"
#include "gui/timeline/pieces.h"

namespace quintet::gui {

namespace {

constexpr int least_named = 44;  // pixels of a bar that has its name in it

// A hatch drawn as lines: files of vectors know no patterns of pixels.
void hatch(QPainter& painter, const QRect& box, Qt::BrushStyle style) {
  constexpr int apart = 6;
  if (style == Qt::VerPattern)
    for (int x = box.left() + 3; x < box.right(); x += apart)
      painter.drawLine(x, box.top(), x, box.bottom());
  if (style == Qt::BDiagPattern || style == Qt::FDiagPattern)
    for (int x = box.left(); x + box.height() <= box.right(); x += apart) {
      const bool rising = style == Qt::BDiagPattern;
      painter.drawLine(x, rising ? box.bottom() : box.top(), x + box.height(),
                       rising ? box.top() : box.bottom());
    }
  if (style == Qt::Dense2Pattern)
    for (int y = box.top() + 2; y < box.bottom(); y += 4)
      painter.drawLine(box.left(), y, box.right(), y);
}

void paint_piece(QPainter& painter, const QRect& box, const Theme& theme, Look look, bool merged) {
  const QColor color = color_of(theme, look);
  painter.fillRect(box, merged ? color.darker(130) : color);
  const Qt::BrushStyle style = brush_of(theme, look).style();
  if (merged || style == Qt::SolidPattern || box.width() < 8) return;
  painter.setPen(QPen(color.darker(118), 1));
  hatch(painter, box, style);
  painter.fillRect(QRect(box.left(), box.top(), 1, box.height()), color.darker(140));
}

}  // namespace

void paint_bars_as_vectors(QPainter& painter, const TimelineFrame& frame, const Theme& theme,
                           const Scene& scene, const TimelineView& view) {
  const PixelScale scale = frame.scale(view);
  for_seen_rows(frame, view, [&](std::size_t place, int top, const QRect& area) {
    const QRect line = QRect(area.left(), top, area.width(), frame.bar_height()) & area;
    visit_pieces(scene.bars, row_at_place(view, place), scale, [&](const Piece& piece) {
      const QRect box(area.left() + piece.left, line.top(), piece.right - piece.left,
                      line.height());
      paint_piece(painter, box & area, theme, scene.bars.look(piece.bar), piece.count > 1);
    });
  });
}

void paint_names(QPainter& painter, const TimelineFrame& frame, const Theme& theme,
                 const Scene& scene, const TimelineView& view) {
  if (frame.bar_height() < 12) return;
  QFont font = painter.font();
  font.setPixelSize(std::min(frame.bar_height() - 4, 12));
  painter.setFont(font);
  const QFontMetrics metrics(font);
  const PixelScale scale = frame.scale(view);
  for_seen_rows(frame, view, [&](std::size_t place, int top, const QRect& area) {
    if (top < area.top() || top + frame.bar_height() > area.top() + area.height()) return;
    visit_pieces(scene.bars, row_at_place(view, place), scale, [&](const Piece& piece) {
      const int left = std::max(piece.left, 0), right = std::min(piece.right, area.width());
      if (piece.count > 1 || right - left < least_named) return;
      const QRect box(area.left() + left + 4, top, right - left - 6, frame.bar_height());
      const QString name =
          metrics.elidedText(scene.name_of(piece.bar), Qt::ElideRight, box.width());
      if (name.size() < 5) return;
      painter.setPen(ink_on(color_of(theme, scene.bars.look(piece.bar))));
      painter.drawText(box, Qt::AlignVCenter | Qt::AlignLeft, name);
    });
  });
}

}  // namespace quintet::gui
