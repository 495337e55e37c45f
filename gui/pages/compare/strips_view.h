// Timelines of one rank side by side over one range: the wheel zooms about the pointer, dragging
// chooses a range, arrows and W, A, S, D move and zoom, F and Esc show all.
#pragma once

#include <QWidget>
#include <functional>
#include <optional>

#include "gui/timeline/strips.h"

namespace quintet::gui {

class StripsView : public QWidget {
  Q_OBJECT
 public:
  using ThemeNow = std::function<const Theme&()>;
  StripsView(ThemeNow theme, QWidget* parent);

  // `whole`: the end of what can be shown.
  void set_strips(Strips strips, Instant whole);
  const Strips& strips() const { return strips_; }
  void paint(QPainter& painter, const QSizeF& size) const;

 signals:
  void range_wanted(Instant from, Instant to);
  void whole_wanted();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  double time_at(double pixel) const;
  // About a time, by a factor, and moved by a share of what is shown.
  void zoom(double about, double factor);
  void move(double share);
  void want(double from, double to);

  ThemeNow theme_;
  Strips strips_;
  Instant whole_;
  std::optional<double> pressed_, dragged_;  // pixels
};

}  // namespace quintet::gui
