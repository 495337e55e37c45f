// How a scene is looked at: a value that gestures change, and where its parts lie in a picture of
// some size.
#pragma once

#include <QRect>
#include <QSize>
#include <optional>
#include <vector>

#include "gui/timeline/scene.h"
#include "gui/timeline/time_window.h"

namespace quintet::gui {

struct TimelineView {
  TimeWindow window;
  int scroll = 0;  // pixels of rows above the first one seen; pinned ones never scroll
  int row_height = 20;
  std::vector<std::size_t> pinned, others;  // rows of the scene that are shown, in order
  std::optional<std::size_t> current_row;   // of the scene
  std::optional<std::size_t> selected;      // a bar
  std::optional<TimeWindow> range;
  std::vector<std::int64_t> marks;  // times, in order
  bool path = true, messages = true;
  std::vector<bool> matched;  // by bar; empty: nothing is searched
};

// Where time axes begin, here and in pictures beside it.
inline constexpr int timeline_labels_width = 240;

struct TimelineFrame {
  TimelineFrame(QSize size, const TimelineView& view);

  QRect minimap, ruler, pinned, rows, labels, legend;  // pinned, rows: of bars alone
  int row_height;

  PixelScale scale(const TimelineView& view) const { return scale_of(view.window, rows.width()); }
  // The y of a shown row, by its place: pinned ones first.
  int top_of(std::size_t place, const TimelineView& view) const;
  // The place of the row at a y; none: there is none.
  std::optional<std::size_t> place_at(int y, const TimelineView& view) const;
  int bar_height() const { return row_height - (row_height >= 8 ? 3 : row_height >= 4 ? 1 : 0); }
  // How far the rows can be scrolled.
  int most_scroll(const TimelineView& view) const;
};

std::size_t row_at_place(const TimelineView& view, std::size_t place);
std::optional<std::size_t> place_of_row(const TimelineView& view, std::size_t row);

// All of the scene, nothing chosen.
TimelineView whole_view(const Scene& scene);
// Rows whose text has all the words, pinned ones always.
std::vector<std::size_t> filtered_rows(const Scene& scene, const QString& words);

// The bar at a pixel, and how many a merged column there stands for.
struct BarAt {
  std::size_t bar = 0;
  std::size_t count = 1;
};
std::optional<BarAt> bar_at(const Scene& scene, std::size_t row, const PixelScale& scale, int x);

}  // namespace quintet::gui
