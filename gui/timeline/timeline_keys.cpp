// Everything that a TimelineWidget does by key: Perfetto's, where it has one.
#include <QDialog>
#include <QHeaderView>
#include <QTableWidget>
#include <QVBoxLayout>
#include <utility>

#include "gui/timeline/timeline_widget.h"
#include "gui/widgets/owned.h"

namespace quintet::gui {

QAction& TimelineWidget::add_action(const QString& name, const QString& text,
                                    const QList<QKeySequence>& keys, std::function<void()> act) {
  QAction& action = owned<QAction>(text, this);
  action.setObjectName(name);
  action.setShortcuts(keys);
  action.setShortcutContext(Qt::WidgetWithChildrenShortcut);
  connect(&action, &QAction::triggered, this, [act = std::move(act)] { act(); });
  addAction(&action);
  actions_ << &action;
  by_name_.insert(name, &action);
  return action;
}

void TimelineWidget::add_actions() {
  using Keys = QList<QKeySequence>;
  const auto cursor = [this] {
    const TimelineFrame now = frame();
    if (!now.rows.contains(cursor_)) return 0.5;
    return static_cast<double>(cursor_.x() - now.rows.left()) / now.rows.width();
  };
  add_action("zoom-in", "Zoom in", Keys{{"W"}, {"+"}, {"="}}, [=, this] { zoom(0.7, cursor()); });
  add_action("zoom-out", "Zoom out", Keys{{"S"}, {"-"}}, [=, this] { zoom(1 / 0.7, cursor()); });
  add_action("earlier", "Move to earlier", Keys{{"A"}, {"Left"}}, [this] { pan(-0.2); });
  add_action("later", "Move to later", Keys{{"D"}, {"Right"}}, [this] { pan(0.2); });
  add_action("up", "Rows above", Keys{{"Up"}}, [this] { scroll_by(-view_.row_height); });
  add_action("down", "Rows below", Keys{{"Down"}}, [this] { scroll_by(view_.row_height); });
  add_action("page-up", "A page of rows up", Keys{{"PgUp"}},
             [this] { scroll_by(-frame().rows.height()); });
  add_action("page-down", "A page of rows down", Keys{{"PgDown"}},
             [this] { scroll_by(frame().rows.height()); });
  add_action("fit", "Fit the selection, or all", Keys{{"F"}}, [this] { fit(); });
  add_action("next", "Next bar of the row", Keys{{"."}}, [this] { select_neighbour(1); });
  add_action("previous", "Previous bar of the row", Keys{{","}}, [this] { select_neighbour(-1); });
  add_action("message-forward", "Along the message, or to the next one", Keys{{"]"}},
             [this] { follow_message(true); });
  add_action("message-back", "Back along the message, or to the last one", Keys{{"["}},
             [this] { follow_message(false); });
  add_action("range", "Range of the selection, or of what is seen", Keys{{"R"}},
             [this] { choose_range_of_selection(); });
  add_action("mark", "Mark the time, or remove its mark", Keys{{"M"}}, [this] { toggle_mark(); });
  add_action("clear", "Choose nothing", Keys{{"Esc"}}, [this] { clear_chosen(); });
  add_action("search", "Search bars", Keys{{"/"}}, [this] { emit search_wanted(); });
  add_action("pin", "Pin the row, or let it go", Keys{{"P"}}, [this] { toggle_pin(); });
  add_action("hide", "Hide the row", Keys{{"H"}}, [this] { hide_row(); });
  add_action("show-all", "Show all rows", Keys{{"Shift+H"}}, [this] { show_all_rows(); });
  add_action("higher", "Higher rows", Keys{{"Shift+Up"}},
             [this] { set_row_height(view_.row_height + (view_.row_height < 12 ? 2 : 4)); });
  add_action("lower", "Lower rows", Keys{{"Shift+Down"}},
             [this] { set_row_height(view_.row_height - (view_.row_height <= 12 ? 2 : 4)); });
  QAction& path = add_action("path", "Show the critical path", Keys{{"C"}}, [this] {
    view_.path = action("path")->isChecked();
    update();
  });
  path.setCheckable(true);
  path.setChecked(view_.path);
  QAction& messages = add_action("messages", "Show messages", Keys{{"X"}}, [this] {
    view_.messages = action("messages")->isChecked();
    update();
  });
  messages.setCheckable(true);
  messages.setChecked(view_.messages);
  add_action("keys", "Keys of the timeline", Keys{{"?"}, {"Shift+?"}}, [this] { show_keys(); });
}

void TimelineWidget::select_neighbour(int by) {
  if (!scene_) return;
  const BarStore& bars = scene_->bars;
  if (!view_.selected) {
    if (view_.others.empty() && view_.pinned.empty()) return;
    const std::size_t row = view_.current_row.value_or(row_at_place(view_, 0));
    const auto from = static_cast<std::int64_t>(view_.window.from);
    const std::size_t first = bars.first_ending_after(row, from);
    if (first < bars.row_end(row)) select(first);
    return;
  }
  const std::size_t row = bars.row_of(*view_.selected);
  if (by < 0 && *view_.selected > bars.row_begin(row)) select(*view_.selected - 1);
  if (by > 0 && *view_.selected + 1 < bars.row_end(row)) select(*view_.selected + 1);
}

void TimelineWidget::follow_message(bool forward) {
  if (!scene_) return;
  const auto is_end = [&](std::size_t bar, SpanKind kind) {
    const SpanInfo* info = scene_->info_of(bar);
    return info != nullptr && info->kind == kind;
  };
  if (view_.selected && is_end(*view_.selected, forward ? SpanKind::send : SpanKind::receive))
    if (const auto other = scene_->other_end(*view_.selected)) return select(other);
  // Of the selection's track the next message after it, or the last before.
  std::optional<std::size_t> best;
  const std::int64_t now = view_.selected ? scene_->bars.start(*view_.selected)
                                          : static_cast<std::int64_t>(view_.window.from) - 1;
  for (const SceneSource& source : scene_->sources)
    for (const Message& each : source.messages) {
      const std::size_t bar = source.bar_of_span[forward ? each.send : each.receive];
      const std::size_t row = scene_->bars.row_of(bar);
      if (view_.current_row &&
          (scene_->rows[row].group != scene_->rows[*view_.current_row].group ||
           scene_->rows[row].source != scene_->rows[*view_.current_row].source))
        continue;
      const std::int64_t at = scene_->bars.start(bar);
      if (forward ? at <= now : at >= now) continue;
      if (!best || (forward ? at < scene_->bars.start(*best) : at > scene_->bars.start(*best)))
        best = bar;
    }
  if (best) select(best);
}

void TimelineWidget::choose_range_of_selection() {
  if (!scene_) return;
  if (!view_.selected) return choose_range(view_.window);
  choose_range(TimeWindow{static_cast<double>(scene_->bars.start(*view_.selected)),
                          static_cast<double>(scene_->bars.end(*view_.selected))});
}

void TimelineWidget::toggle_mark() {
  if (!scene_) return;
  const TimelineFrame now = frame();
  std::int64_t at = static_cast<std::int64_t>((view_.window.from + view_.window.to) / 2);
  if (now.rows.contains(cursor_)) at = time_at(cursor_.x());
  if (view_.selected) at = scene_->bars.start(*view_.selected);
  const auto near = std::find_if(view_.marks.begin(), view_.marks.end(), [&](std::int64_t mark) {
    return std::abs(now.scale(view_).position(mark) - now.scale(view_).position(at)) < 3;
  });
  if (near != view_.marks.end())
    view_.marks.erase(near);
  else
    view_.marks.insert(std::lower_bound(view_.marks.begin(), view_.marks.end(), at), at);
  update();
}

void TimelineWidget::clear_chosen() {
  drag_ = Drag::none;
  if (view_.range) return choose_range(std::nullopt);
  select(std::nullopt);
}

void TimelineWidget::show_keys() {
  auto& dialog = owned<QDialog>(window());
  dialog.setAttribute(Qt::WA_DeleteOnClose);
  dialog.setObjectName("timeline-keys");
  dialog.setWindowTitle("Keys of the timeline");
  QList<std::pair<QString, QString>> lines;
  for (const QAction* each : actions_) {
    QStringList keys;
    for (const QKeySequence& key : each->shortcuts())
      keys << key.toString(QKeySequence::NativeText);
    lines << std::pair(keys.join(" or "), each->text());
  }
  lines << std::pair(QString("Ctrl+wheel"), QString("Zoom where the pointer is"))
        << std::pair(QString("wheel, Shift+wheel"), QString("Rows up and down, earlier and later"))
        << std::pair(QString("drag"), QString("Choose a range"))
        << std::pair(QString("Shift+drag"), QString("Move"))
        << std::pair(QString("double click"), QString("Zoom to the bar"));
  auto& table = owned<QTableWidget>(static_cast<int>(lines.size()), 2, &dialog);
  table.setHorizontalHeaderLabels({"Key", "What it does"});
  table.setEditTriggers(QAbstractItemView::NoEditTriggers);
  table.verticalHeader()->hide();
  for (int row = 0; row < table.rowCount(); ++row) {
    table.setItem(row, 0, &owned<QTableWidgetItem>(lines[row].first));
    table.setItem(row, 1, &owned<QTableWidgetItem>(lines[row].second));
  }
  table.resizeColumnsToContents();
  table.horizontalHeader()->setStretchLastSection(true);
  owned<QVBoxLayout>(&dialog).addWidget(&table);
  dialog.resize(480, 620);
  dialog.show();
}

}  // namespace quintet::gui
