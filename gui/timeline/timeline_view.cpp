#include "gui/timeline/timeline_view.h"

#include <QStringList>
#include <algorithm>
#include <numeric>

#include "gui/timeline/pieces.h"

namespace quintet::gui {

namespace {

constexpr int label_width = timeline_labels_width;
constexpr int minimap_height = 34, ruler_height = 24, legend_height = 24;

}  // namespace

TimelineFrame::TimelineFrame(QSize size, const TimelineView& view) : row_height(view.row_height) {
  const int left = label_width, width = std::max(size.width() - left, 1);
  minimap = {left, 0, width, minimap_height};
  ruler = {left, minimap_height, width, ruler_height};
  const int top = minimap_height + ruler_height;
  const int bottom = std::max(size.height() - legend_height, top);
  const int wished = static_cast<int>(view.pinned.size()) * row_height;
  pinned = {left, top, width, std::min(wished, (bottom - top) / 2)};
  const int gap = pinned.height() > 0 ? 3 : 0;
  rows = {left, top + pinned.height() + gap, width,
          std::max(bottom - top - pinned.height() - gap, 1)};
  labels = {0, top, left, bottom - top};
  legend = {0, bottom, size.width(), size.height() - bottom};
}

int TimelineFrame::top_of(std::size_t place, const TimelineView& view) const {
  const auto number = static_cast<int>(place), first = static_cast<int>(view.pinned.size());
  return number < first ? pinned.top() + number * row_height
                        : rows.top() + (number - first) * row_height - view.scroll;
}

std::optional<std::size_t> TimelineFrame::place_at(int y, const TimelineView& view) const {
  if (y >= pinned.top() && y < pinned.top() + pinned.height())
    return static_cast<std::size_t>((y - pinned.top()) / row_height);
  if (y < rows.top() || y >= rows.top() + rows.height()) return std::nullopt;
  const auto number = static_cast<std::size_t>((y - rows.top() + view.scroll) / row_height);
  if (number >= view.others.size()) return std::nullopt;
  return view.pinned.size() + number;
}

int TimelineFrame::most_scroll(const TimelineView& view) const {
  return std::max(0, static_cast<int>(view.others.size()) * row_height - rows.height());
}

std::size_t row_at_place(const TimelineView& view, std::size_t place) {
  return place < view.pinned.size() ? view.pinned[place] : view.others[place - view.pinned.size()];
}

std::optional<std::size_t> place_of_row(const TimelineView& view, std::size_t row) {
  const auto pin = std::find(view.pinned.begin(), view.pinned.end(), row);
  if (pin != view.pinned.end()) return static_cast<std::size_t>(pin - view.pinned.begin());
  const auto other = std::find(view.others.begin(), view.others.end(), row);
  if (other == view.others.end()) return std::nullopt;
  return view.pinned.size() + static_cast<std::size_t>(other - view.others.begin());
}

TimelineView whole_view(const Scene& scene) {
  TimelineView view;
  view.window = scene.whole;
  view.others = filtered_rows(scene, "");
  return view;
}

std::vector<std::size_t> filtered_rows(const Scene& scene, const QString& words) {
  const QStringList wanted = words.simplified().split(' ', Qt::SkipEmptyParts);
  std::vector<std::size_t> found;
  for (std::size_t row = 0; row < scene.rows.size(); ++row) {
    const SceneRow& at = scene.rows[row];
    const QString text = at.group + " " + at.group_note + " " + at.lane;
    if (std::all_of(wanted.begin(), wanted.end(),
                    [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); }))
      found.push_back(row);
  }
  return found;
}

std::optional<BarAt> bar_at(const Scene& scene, std::size_t row, const PixelScale& scale, int x) {
  std::optional<BarAt> found;
  // A bar that is drawn over another is the one that is seen.
  const PixelScale near{scale.from + scale.per_pixel * (x - 8), scale.per_pixel, 16};
  visit_pieces(scene.bars, row, near, [&](const Piece& piece) {
    const int left = scale.pixel(scene.bars.start(piece.first));
    const int right =
        std::max(left + 1, scale.pixel(scene.bars.end(piece.first + piece.count - 1)));
    if (x >= left && x < right) found = BarAt{piece.bar, piece.count};
  });
  return found;
}

}  // namespace quintet::gui
