// A scene as a picture: rows of bars under a ruler and a map of the whole, with what is chosen.
#pragma once

#include <QImage>
#include <QPainter>
#include <QSize>

#include "gui/drawing/theme.h"
#include "gui/timeline/timeline_view.h"

namespace quintet::gui {

// All of it, into (0, 0) .. size. Bars are pixels where the painter's device has such, and
// rectangles where it is a file of vectors. `bars`: bars_image() of the same, where there is one
// already.
void paint_timeline(QPainter& painter, QSize size, const Theme& theme, const Scene& scene,
                    const TimelineView& view, const QImage* bars = nullptr);

// The bars and their names alone, of TimelineFrame's pinned and rows; `ratio`: pixels of the device
// per unit.
QImage bars_image(QSize size, const Theme& theme, const Scene& scene, const TimelineView& view,
                  double ratio = 1);

// Parts of paint_timeline, one file each.
void paint_bars_as_vectors(QPainter& painter, const TimelineFrame& frame, const Theme& theme,
                           const Scene& scene, const TimelineView& view);
void paint_names(QPainter& painter, const TimelineFrame& frame, const Theme& theme,
                 const Scene& scene, const TimelineView& view);
void paint_labels(QPainter& painter, const TimelineFrame& frame, const Theme& theme,
                  const Scene& scene, const TimelineView& view);
void paint_ruler(QPainter& painter, const TimelineFrame& frame, const Theme& theme,
                 const TimelineView& view);
void paint_minimap(QPainter& painter, const TimelineFrame& frame, const Theme& theme,
                   const Scene& scene, const TimelineView& view);
void paint_legend(QPainter& painter, const TimelineFrame& frame, const Theme& theme,
                  const TimelineView& view);
void paint_path(QPainter& painter, const TimelineFrame& frame, const Theme& theme,
                const Scene& scene, const TimelineView& view);
void paint_messages(QPainter& painter, const TimelineFrame& frame, const Theme& theme,
                    const Scene& scene, const TimelineView& view);
void paint_chosen(QPainter& painter, const TimelineFrame& frame, const Theme& theme,
                  const Scene& scene, const TimelineView& view);

// The rows, by place, of which some is seen.
template <class Each>
void for_seen_rows(const TimelineFrame& frame, const TimelineView& view, Each each) {
  const std::size_t all = view.pinned.size() + view.others.size();
  const auto skipped = static_cast<std::size_t>(view.scroll / std::max(frame.row_height, 1));
  for (std::size_t place = 0; place < all; ++place) {
    if (place == view.pinned.size()) place += std::min(skipped, view.others.size());
    if (place >= all) return;
    const int top = frame.top_of(place, view);
    const QRect& area = place < view.pinned.size() ? frame.pinned : frame.rows;
    if (top >= area.top() + area.height()) {
      if (place >= view.pinned.size()) return;
      continue;
    }
    each(place, top, area);
  }
}

}  // namespace quintet::gui
