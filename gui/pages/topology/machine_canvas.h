// The widget that shows a machine's picture: zooms, pans, and says what was pointed at. What it
// means is up to whoever listens.
#pragma once

#include <QTransform>
#include <QWidget>

#include "gui/drawing/theme.h"
#include "gui/topology/fabric_picture.h"

namespace quintet::gui {

class MachineCanvas : public QWidget {
  Q_OBJECT
 public:
  // Both outlive it.
  MachineCanvas(const FabricPicture& picture, QWidget* parent);

  void set_theme(const Theme& theme);
  // After other boxes: `keep` one where it was on the screen.
  void show_other_boxes(std::optional<QPointF> old_place, std::optional<QPointF> new_place);

  // For who hears the picture instead of seeing it.
  void tell_chosen(const QString& text);

  void fit();
  void zoom(double factor, std::optional<QPointF> around = {});
  void pan(const QPointF& by);
  // So that a place of the layout is seen.
  void reveal(const QRectF& rect);
  const QTransform& view() const { return view_; }

  QSize sizeHint() const override { return {900, 500}; }
  QSize minimumSizeHint() const override { return {260, 180}; }

 signals:
  void box_chosen(int box);
  void bundle_chosen(int bundle);
  void nothing_chosen();
  void box_opened(int box);  // or closed
  void moved_towards(const QPointF& direction);
  void next_link(int by);
  void closed();  // up one level
  void menu_asked(const QPoint& global);

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  bool over_legend(const QPointF& place) const;
  void choose_at(const QPointF& place);
  QString told_at(const QPointF& place) const;

  const FabricPicture& picture_;
  const Theme* theme_;
  QTransform view_;
  bool fitted_ = true;  // follows the widget's size
  std::optional<QPointF> pressed_;
  bool dragged_ = false;
};

// What a box or a bundle is and carries, in a few lines.
QString box_text(const FabricPicture& picture, int box);
QString bundle_text(const FabricPicture& picture, int bundle);

}  // namespace quintet::gui
