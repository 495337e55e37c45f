#include "gui/pages/timeline/timeline_page.h"

#include <QSplitter>
#include <QVBoxLayout>
#include <utility>

#include "gui/timeline/paint_timeline.h"
#include "gui/widgets/owned.h"

namespace quintet::gui {

TimelinePage::TimelinePage(Document& of, QWidget* parent) : Page(of, parent) {
  auto& column = owned<QVBoxLayout>(this);
  column.setContentsMargins(0, 0, 0, 0);
  column.setSpacing(0);
  timeline_ = &owned<TimelineWidget>();
  add_bar();
  add_reading_strip();
  auto& splitter = owned<QSplitter>(Qt::Vertical, this);
  column.addWidget(&splitter, 1);
  stack_ = &owned<QStackedWidget>(&splitter);
  stack_->addWidget(timeline_);
  stack_->addWidget(&table_of(tables_.bars, "Bars of the timeline"));
  details_ = &owned<QTabWidget>(&splitter);
  add_details();
  splitter.setStretchFactor(0, 3);
  splitter.setStretchFactor(1, 1);
  splitter.setSizes({430, 250});
  splitter.setCollapsible(0, false);
  follow_document();
  follow_timeline();
  show_theme();
  make_scene_anew();
}

void TimelinePage::follow_document() {
  Document& of = document();
  connect(&of, &Document::outcome_changed, this, &TimelinePage::make_scene_anew);
  connect(&of, &Document::recording_changed, this, &TimelinePage::make_scene_anew);
  connect(&of, &Document::appearance_changed, this, &TimelinePage::show_theme);
  connect(&of, &Document::range_changed, this, &TimelinePage::show_range);
  connect(&maker_, &Worker::broke, &of, &Document::failed);
}

void TimelinePage::follow_timeline() {
  connect(timeline_, &TimelineWidget::range_chosen, this, [this] {
    const auto& range = timeline_->view().range;
    if (range)
      document().choose_range(TimeRange{{static_cast<std::int64_t>(range->from)},
                                        {static_cast<std::int64_t>(range->to)}});
    else
      document().choose_range(std::nullopt);
    if (range) details_->setCurrentIndex(1);
  });
  connect(timeline_, &TimelineWidget::selection_changed, this, [this] {
    if (timeline_->scene() == nullptr) return;
    tables_.show_selected(*timeline_->scene(), timeline_->view().selected);
    if (timeline_->view().selected && timeline_->hasFocus()) details_->setCurrentIndex(0);
  });
  connect(timeline_, &TimelineWidget::window_changed, this,
          [this] { pipeline_->show_window(timeline_->view().window); });
  const auto list_bars = [this] {
    if (as_table_->isChecked()) show_table(true);
  };
  connect(timeline_, &TimelineWidget::window_changed, this, list_bars);
  connect(timeline_, &TimelineWidget::rows_changed, this, list_bars);
}

// The timelines are copied: the document's may be gone before the rows are made.
void TimelinePage::make_scene_anew() {
  SceneInput input;
  const Outcome* outcome = document().outcome();
  if (outcome != nullptr && outcome->predicted()) {
    input.predicted = outcome->prediction().timeline;
    input.track_of_rank = outcome->prediction().track_of_rank;
  }
  if (const Timeline* recording = document().recording()) input.measured = *recording;
  if (!input.predicted && !input.measured) {
    maker_.cancel();
    show_scene(nullptr);
    return;
  }
  maker_.start("Arranging the timeline",
               [this, input = std::move(input)](const Progress& progress) mutable {
                 Scene made = make_scene(std::move(input), progress);
                 return [this, made = std::move(made)]() mutable {
                   show_scene(std::make_unique<const Scene>(std::move(made)));
                 };
               });
}

void TimelinePage::show_scene(std::unique_ptr<const Scene> scene) {
  // Tables and pictures let go of the scene before it goes.
  tables_.clear();
  pipeline_->show_grids({});
  found_ = {};
  timeline_->set_scene(std::move(scene));
  if (timeline_->scene() == nullptr) return;
  tables_.show_scene(*timeline_->scene());
  pipeline_->show_grids(grids());
  pipeline_->show_window(timeline_->view().window);
  show_range();
  search();
  show_table(as_table_->isChecked());
}

std::vector<NamedGrid> TimelinePage::grids() const {
  std::vector<NamedGrid> grids;
  if (timeline_->scene() == nullptr) return grids;
  for (const SceneSource& each : timeline_->scene()->sources)
    if (each.passes)
      grids.push_back({each.measured ? "measured" : "predicted", &*each.passes, each.shift});
  return grids;
}

void TimelinePage::show_range() {
  const auto& chosen = document().range();
  std::optional<TimeWindow> range;
  if (chosen)
    range = TimeWindow{static_cast<double>(chosen->from.picoseconds),
                       static_cast<double>(chosen->to.picoseconds)};
  timeline_->show_range(range);
  details_->setTabText(1, range ? "Range" : "Whole step");
  if (timeline_->scene() != nullptr) tables_.show_range(*timeline_->scene(), range);
}

void TimelinePage::show_theme() {
  timeline_->set_theme(document().theme());
  pipeline_->set_theme(document().theme());
}

void TimelinePage::show_table(bool table) {
  stack_->setCurrentIndex(table ? 1 : 0);
  if (table && timeline_->scene() != nullptr)
    tables_.show_bars(*timeline_->scene(), timeline_->view());
}

QList<QAction*> TimelinePage::own_actions() {
  return timeline_->own_actions() + QList<QAction*>{as_table_};
}

std::vector<Exported> TimelinePage::exports() {
  if (timeline_->scene() == nullptr) return {};
  tables_.show_bars(*timeline_->scene(), timeline_->view());
  const auto rows = [this](QPainter& painter, const QSizeF& size) {
    if (timeline_->scene() != nullptr)
      paint_timeline(painter, size.toSize(), document().theme(), *timeline_->scene(),
                     timeline_->view());
  };
  const auto path = [this](QPainter& painter, const QSizeF& size) {
    if (timeline_->scene() != nullptr)
      paint_path_shares(painter, size.toSize(), document().theme(),
                        timeline_->scene()->sources.front().path_shares);
  };
  std::vector<Exported> all{
      {"rows", "Timeline", rows, &tables_.bars},
      {"critical-path", "Shares of the critical path", path, &tables_.path_shares},
      {"critical-path-pieces", "Pieces of the critical path", {}, &tables_.path},
      {"range", "What lies in the range", {}, &tables_.range}};
  if (grids().empty()) return all;
  all.push_back({"pipeline", "Pipeline",
                 [this](QPainter& painter, const QSizeF& size) {
                   paint_passes(painter, size.toSize(), document().theme(), grids(),
                                timeline_->view().window, timeline_labels_width);
                 },
                 &tables_.passes});
  return all;
}

}  // namespace quintet::gui
