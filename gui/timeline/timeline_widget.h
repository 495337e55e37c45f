// The timeline that people look at and walk through, with Perfetto's keys.
#pragma once

#include <QAction>
#include <QHash>
#include <QImage>
#include <QList>
#include <QScrollBar>
#include <QSet>
#include <QWidget>
#include <functional>
#include <memory>
#include <optional>

#include "gui/drawing/theme.h"
#include "gui/timeline/timeline_view.h"

namespace quintet::gui {

class TimelineWidget : public QWidget {
  Q_OBJECT
 public:
  explicit TimelineWidget(QWidget* parent = nullptr);

  // In place of what is shown; where it has the same rows, the same part of it is seen, pinned and
  // hidden as before.
  void set_scene(std::unique_ptr<const Scene> scene);
  const Scene* scene() const { return scene_.get(); }  // null: there is none yet
  const TimelineView& view() const { return view_; }
  void set_theme(const Theme& theme);

  const QList<QAction*>& own_actions() const { return actions_; }
  QAction* action(const QString& name) const;  // by its objectName; must be there

  void zoom(double factor, double at);
  void pan(double share);
  void scroll_by(int pixels);
  void fit();  // the selection, else the range; all where that is seen already
  void set_window(const TimeWindow& window);

  // Brought into view; none: nothing.
  void select(std::optional<std::size_t> bar);
  void select_neighbour(int by);
  // From a send to its receive (forward) and back; of other bars the next or last message.
  void follow_message(bool forward);
  // Of a part of the step; shown, and told by range_chosen.
  void choose_range(std::optional<TimeWindow> range);
  void show_range(std::optional<TimeWindow> range);  // without telling
  void choose_range_of_selection();
  void toggle_mark();
  void clear_chosen();
  void set_matched(std::vector<bool> matched);

  void set_filter(const QString& words);
  void toggle_pin();
  void hide_row();
  void show_all_rows();
  void set_row_height(int height);

 signals:
  void selection_changed();
  void range_chosen();
  void rows_changed();
  void window_changed();
  void search_wanted();

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;

 private:
  enum class Drag { none, range, pan, minimap };

  void add_actions();
  QAction& add_action(const QString& name, const QString& text, const QList<QKeySequence>& keys,
                      std::function<void()> act);
  void show_keys();
  QSize picture_size() const;
  TimelineFrame frame() const { return {picture_size(), view_}; }
  std::optional<BarAt> bar_under(QPoint at) const;
  void move_window_to(int x);
  void reveal(std::size_t bar);
  void find_rows();
  void place_scroll_bar();
  void bars_changed();  // other bars are seen than before
  QString row_name(std::size_t row) const;
  std::int64_t time_at(int x) const;

  std::unique_ptr<const Scene> scene_;
  TimelineView view_;
  const Theme* theme_;
  QScrollBar* scroll_bar_;
  QList<QAction*> actions_;
  QHash<QString, QAction*> by_name_;
  QString filter_;
  QSet<QString> hidden_, pinned_;  // by row_name
  QImage bars_;                    // null: to be painted again
  Drag drag_ = Drag::none;
  QPoint pressed_, cursor_;
  TimeWindow window_pressed_;
  int scroll_pressed_ = 0;
};

}  // namespace quintet::gui
