// The tables behind a timeline: what its pictures show, as text.
#pragma once

#include <optional>

#include "gui/models/listed_model.h"
#include "gui/timeline/scene.h"
#include "gui/timeline/scene_search.h"
#include "gui/timeline/timeline_view.h"

namespace quintet::gui {

// Nothing of the scene is copied: it must live until the next call with another, or clear().
struct TimelineTables {
  ListedModel facts, range, path_shares, path, matches, bars, passes;

  TimelineTables();

  void clear();
  void show_scene(const Scene& scene);  // the path, its shares and the pipeline's passes
  void show_selected(const Scene& scene, std::optional<std::size_t> bar);
  // Of a part of the step; all of it where there is none.
  void show_range(const Scene& scene, const std::optional<TimeWindow>& part);
  void show_matches(const Scene& scene, const FoundBars& found);
  // Every bar of the rows shown of which some lies in the window, row by row.
  void show_bars(const Scene& scene, const TimelineView& view);
};

}  // namespace quintet::gui
