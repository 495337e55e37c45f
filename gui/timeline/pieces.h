// What is drawn of a row on so many pixels: its bars, or columns that stand for several. A bar of
// three pixels or more is drawn itself; what is narrower and begins within three pixels becomes one
// column (Tracy's choice), so that the work goes with pixels and not with bars.
#pragma once

#include <cstdint>

#include "gui/timeline/bar_store.h"
#include "gui/timeline/time_window.h"

namespace quintet::gui {

inline constexpr int merged_pixels = 3;

struct Piece {
  int left = 0, right = 0;  // pixels [left, right), at least one
  std::size_t bar = 0;      // of several, the longest
  std::size_t first = 0, count = 1;
};

inline Piece piece_of_bar(const BarStore& bars, std::size_t bar, const PixelScale& scale) {
  const int left = scale.pixel(bars.start(bar));
  return {left, std::max(left + 1, scale.pixel(bars.end(bar))), bar, bar, 1};
}

// Columns lie on a grid of the time rather than of the window, so that they stay while it moves.
template <class Take>
void visit_pieces(const BarStore& bars, std::size_t row, const PixelScale& scale, Take take) {
  const auto to = static_cast<std::int64_t>(scale.from + scale.per_pixel * scale.width);
  const double column = scale.per_pixel * merged_pixels;
  const double columns_per_time = 1 / column;
  const auto wide = static_cast<std::int64_t>(std::ceil(column));
  const std::size_t end = bars.row_end(row);
  std::size_t bar = bars.first_ending_after(row, static_cast<std::int64_t>(scale.from));
  while (bar < end && bars.start(bar) < to) {
    if (bars.length(bar) >= wide) {
      take(piece_of_bar(bars, bar, scale));
      ++bar;
      continue;
    }
    const double number = std::floor(static_cast<double>(bars.start(bar)) * columns_per_time);
    const auto limit = static_cast<std::int64_t>(std::ceil((number + 1) * column));
    std::size_t next = bars.first_starting_from(bar + 1, end, limit);
    if (next > bar + 1 && bars.length(next - 1) >= wide) --next;
    Piece piece = piece_of_bar(bars, bar, scale);
    if (next > bar + 1) {
      piece.right = piece_of_bar(bars, next - 1, scale).right;
      piece.bar = bars.longest(bar, next);
      piece.count = next - bar;
    }
    take(piece);
    bar = next;
  }
}

}  // namespace quintet::gui
