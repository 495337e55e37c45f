#include "gui/timeline/scan_painter.h"

#include <QPainter>
#include <algorithm>
#include <cstring>

namespace quintet::gui {

namespace {

QImage tile_image(const Theme& theme, Look look) {
  QImage tile(BarTiles::side, BarTiles::side, QImage::Format_RGB32);
  const QColor color = color_of(theme, look);
  tile.fill(color);
  QBrush brush = brush_of(theme, look);
  if (brush.style() == Qt::SolidPattern) return tile;
  QPainter painter(&tile);
  brush.setColor(color.darker(118));
  painter.fillRect(tile.rect(), brush);
  return tile;
}

}  // namespace

BarTiles::BarTiles(const Theme& theme) {
  for (int number = 0; number < look_count; ++number) {
    const auto look = static_cast<Look>(number);
    const auto at = static_cast<std::size_t>(number);
    const QImage image = tile_image(theme, look);
    const QColor color = color_of(theme, look);
    const QRgb other = color.darker(165).rgb();
    edges_[at] = color.darker(140).rgb();
    plain_[at] = brush_of(theme, look).style() == Qt::SolidPattern;
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        const auto line = static_cast<std::size_t>(y), column = static_cast<std::size_t>(x);
        single_[at][line][column] = image.pixel(x, y);
        merged_[at][line][column] = (x + y) % 2 == 0 ? other : color.rgb();
      }
  }
}

void ScanPainter::add(const Piece& piece, const BarStore& bars, const PixelScale& scale) {
  const int left = std::max(piece.left, 0), right = std::min(piece.right, scale.width);
  if (left >= right) return;
  runs_.push_back({left, right, bars.look(piece.bar), piece.count > 1});
}

void ScanPainter::paint_row(const BarStore& bars, std::size_t row, const PixelScale& scale,
                            int left, int top, int height) {
  runs_.clear();
  visit_pieces(bars, row, scale, [&](const Piece& piece) { add(piece, bars, scale); });
  paint_runs(left, top, height);
}

void ScanPainter::paint_row_bar_by_bar(const BarStore& bars, std::size_t row,
                                       const PixelScale& scale, int left, int top, int height) {
  runs_.clear();
  for (std::size_t bar = bars.row_begin(row); bar < bars.row_end(row); ++bar)
    add(piece_of_bar(bars, bar, scale), bars, scale);
  paint_runs(left, top, height);
}

// Lines repeat with the tiles.
void ScanPainter::paint_runs(int left, int top, int height) {
  const int first = std::max(top, 0), last = std::min(top + height, image_.height());
  for (int y = first; y < last; ++y) {
    auto* const line = reinterpret_cast<QRgb*>(image_.scanLine(y)) + left;
    paint_line(line, y);
  }
}

void ScanPainter::paint_line(QRgb* line, int y) const {
  const auto row = static_cast<std::size_t>(y % BarTiles::side);
  for (const Run& run : runs_) {
    if (!run.merged && tiles_.plain(run.look)) {
      std::fill(line + run.left, line + run.right, tiles_.of(run.look)[0][0]);
    } else {
      const auto& tile = (run.merged ? tiles_.merged(run.look) : tiles_.of(run.look))[row];
      for (int x = run.left; x < run.right; ++x) line[x] = tile[static_cast<std::size_t>(x) % 8];
    }
    if (!run.merged && run.right - run.left >= edged_pixels) line[run.left] = tiles_.edge(run.look);
  }
}

}  // namespace quintet::gui
