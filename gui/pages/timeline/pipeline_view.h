// The passes of a pipeline below the rows, on the same time axis.
#pragma once

#include <QWidget>
#include <vector>

#include "gui/drawing/theme.h"
#include "gui/timeline/paint_passes.h"

namespace quintet::gui {

class PipelineView : public QWidget {
  Q_OBJECT
 public:
  explicit PipelineView(QWidget* parent = nullptr);

  // The grids must live until the next call.
  void show_grids(std::vector<NamedGrid> grids);
  void show_window(const TimeWindow& window);
  void set_theme(const Theme& theme);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  std::vector<NamedGrid> grids_;
  TimeWindow window_;
  const Theme* theme_;
};

}  // namespace quintet::gui
