// Plays a step: a window of time that moves over it, by hand or by itself.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QSlider>
#include <QTimer>
#include <QToolButton>
#include <QWidget>
#include <optional>

#include "gui/document/document.h"

namespace quintet::gui {

class Scrubber : public QWidget {
  Q_OBJECT
 public:
  explicit Scrubber(QWidget* parent);

  void set_step(std::optional<Instant> end);  // none: no step is known
  // The window; none: it stands at all of the step.
  std::optional<TimeRange> window() const;
  void play(bool on);
  bool playing() const { return timer_.isActive(); }
  void whole();

 signals:
  void moved();
  void range_asked();  // the window, for other pages

 private:
  void advance();
  void show_text();
  Duration length() const;

  QToolButton* play_ = nullptr;
  QSlider* slider_ = nullptr;
  QComboBox* length_ = nullptr;
  QToolButton* whole_ = nullptr;
  QToolButton* choose_ = nullptr;
  QLabel* text_ = nullptr;
  QTimer timer_;
  std::optional<Instant> end_;
  bool moving_ = false;  // a window, in the place of the whole step
};

// "1203.5-1290.0 ms".
QString range_text(const TimeRange& range);

}  // namespace quintet::gui
