#include "gui/pages/timeline/pipeline_view.h"

#include <QPaintEvent>

#include "gui/timeline/timeline_view.h"

namespace quintet::gui {

PipelineView::PipelineView(QWidget* parent)
    : QWidget(parent), theme_(&theme_of(Appearance::light)) {
  setAccessibleName("Pipeline");
  setAccessibleDescription("Forward, backward and weight-gradient passes of each stage over time");
  setToolTip(
      "A box is a pass of a micro-batch, from its first kernel to its last. At the right: the "
      "share of the step in which the stage waits for others.");
}

void PipelineView::show_grids(std::vector<NamedGrid> grids) {
  grids_ = std::move(grids);
  setMinimumHeight(grids_.empty() ? 40 : height_of_grids(grids_));
  update();
}

void PipelineView::show_window(const TimeWindow& window) {
  window_ = window;
  update();
}

void PipelineView::set_theme(const Theme& theme) {
  theme_ = &theme;
  update();
}

void PipelineView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  paint_passes(painter, size(), *theme_, grids_, window_, timeline_labels_width);
}

}  // namespace quintet::gui
