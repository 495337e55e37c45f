// A picture that can be pointed at and walked through: arrows lead from mark to mark, Enter or a
// click opens one, and what is pointed at is said by a tooltip and to a screen reader.
#pragma once

#include <QWidget>
#include <functional>
#include <optional>

#include "gui/drawing/plot/plot.h"

namespace quintet::gui {

class PlotView : public QWidget {
  Q_OBJECT
 public:
  using ThemeNow = std::function<const Theme&()>;
  PlotView(ThemeNow theme, const QString& name, QWidget* parent);

  // What was chosen stays so where its id still is.
  void set_plot(Plot plot);
  const Plot& plot() const { return plot_; }
  std::optional<int> chosen() const { return chosen_; }
  void choose(std::optional<int> id);

  std::vector<Mark> marks() const;

 signals:
  void chosen_changed(int id);
  void opened(int id);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  void walk(Toward toward);

  ThemeNow theme_;
  Plot plot_;
  std::optional<int> chosen_, hovered_;
};

}  // namespace quintet::gui
