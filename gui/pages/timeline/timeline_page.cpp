#include "gui/pages/timeline/timeline_page.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QPushButton>
#include <QScrollArea>
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
  splitter.setSizes({520, 220});
  splitter.setCollapsible(0, false);
  follow_document();
  follow_timeline();
  show_theme();
  make_scene_anew();
}

void TimelinePage::add_bar() {
  auto& bar = owned<QWidget>(this);
  layout()->addWidget(&bar);
  auto& row = owned<QHBoxLayout>(&bar);
  row.setContentsMargins(8, 5, 8, 5);
  filter_ = &owned<QLineEdit>(&bar);
  filter_->setPlaceholderText("Rows, such as: rank 0 compute");
  filter_->setAccessibleName("Show only rows with these words");
  filter_->setToolTip("Only rows whose rank, stage or lane has all of these words; pinned ones stay");
  filter_->setClearButtonEnabled(true);
  search_ = &owned<QLineEdit>(&bar);
  search_->setPlaceholderText("Search bars, such as: attention layer:3 longer:1ms   ( / )");
  search_->setAccessibleName("Search bars");
  search_->setToolTip(
      "Words of name, kind, axis or lane; layer:3, mb:0, rank:8, stage:1, longer:1ms. Enter goes "
      "to the next one, Shift+Enter back.");
  search_->setClearButtonEnabled(true);
  search_state_ = &owned<QLabel>(&bar);
  search_state_->setMinimumWidth(110);
  row.addWidget(filter_, 2);
  row.addWidget(search_, 3);
  row.addWidget(search_state_);
  as_table_ = &owned<QAction>("Table in place of the picture", this);
  as_table_->setObjectName("timeline-table");
  as_table_->setCheckable(true);
  as_table_->setShortcut(QKeySequence("T"));
  as_table_->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  addAction(as_table_);
  connect(as_table_, &QAction::toggled, this, &TimelinePage::show_table);
  const auto add_button = [&](QAction* action, const QString& text) {
    auto& button = owned<QToolButton>(&bar);
    button.setDefaultAction(action);
    button.setText(text);
    button.setToolTip(action->text() + " (" + action->shortcut().toString() + ")");
    button.setFocusPolicy(Qt::TabFocus);
    row.addWidget(&button);
  };
  add_button(timeline_->action("fit"), "Fit");
  add_button(timeline_->action("path"), "Critical path");
  add_button(timeline_->action("messages"), "Messages");
  add_button(as_table_, "Table");
  add_button(timeline_->action("keys"), "Keys");
  connect(filter_, &QLineEdit::textChanged, timeline_, &TimelineWidget::set_filter);
  search_later_.setSingleShot(true);
  search_later_.setInterval(120);
  connect(&search_later_, &QTimer::timeout, this, &TimelinePage::search);
  connect(search_, &QLineEdit::textChanged, this, [this] { search_later_.start(); });
  const auto add_key = [this](const QKeySequence& keys, int by) {
    auto& action = owned<QAction>(search_);
    action.setShortcut(keys);
    action.setShortcutContext(Qt::WidgetShortcut);
    search_->addAction(&action);
    connect(&action, &QAction::triggered, this, [this, by] { go_to_match(by); });
  };
  add_key(QKeySequence("Shift+Return"), -1);
  connect(search_, &QLineEdit::returnPressed, this, [this] { go_to_match(1); });
  connect(timeline_, &TimelineWidget::search_wanted, this, [this] {
    search_->setFocus();
    search_->selectAll();
  });
}

void TimelinePage::add_reading_strip() {
  reading_ = &owned<QWidget>(this);
  layout()->addWidget(reading_);
  auto& row = owned<QHBoxLayout>(reading_);
  row.setContentsMargins(8, 2, 8, 5);
  reading_what_ = &owned<QLabel>(reading_);
  reading_progress_ = &owned<QProgressBar>(reading_);
  reading_progress_->setRange(0, 1000);
  reading_progress_->setAccessibleName("How far the recording is read");
  auto& cancel = owned<QPushButton>("Cancel", reading_);
  cancel.setObjectName("cancel-reading");
  row.addWidget(reading_what_);
  row.addWidget(reading_progress_, 1);
  row.addWidget(&cancel);
  reading_->hide();
  Worker& reader = document().reader();
  connect(&cancel, &QPushButton::clicked, &reader, &Worker::cancel);
  connect(&reader, &Worker::began, this, [this, &reader] {
    reading_what_->setText(
        fontMetrics().elidedText(reader.what(), Qt::ElideMiddle, std::max(width() / 2, 200)));
    reading_progress_->setValue(0);
    reading_->show();
  });
  connect(&reader, &Worker::progressed, this, [this](double share) {
    reading_progress_->setValue(static_cast<int>(share * 1000));
  });
  connect(&reader, &Worker::ended, reading_, &QWidget::hide);
}

QTableView& TimelinePage::table_of(ListedModel& model, const QString& name) {
  auto& view = owned<QTableView>();
  view.setModel(&model);
  view.setAccessibleName(name);
  view.setSelectionBehavior(QAbstractItemView::SelectRows);
  view.setSelectionMode(QAbstractItemView::SingleSelection);
  view.setAlternatingRowColors(true);
  view.setTabKeyNavigation(false);
  view.setWordWrap(false);
  view.verticalHeader()->hide();
  view.verticalHeader()->setDefaultSectionSize(22);
  view.horizontalHeader()->setStretchLastSection(true);
  view.horizontalHeader()->setResizeContentsPrecision(40);
  connect(&model, &ListedModel::modelReset, &view, [&view] { view.resizeColumnsToContents(); });
  return view;
}

void TimelinePage::add_details() {
  details_->setDocumentMode(true);
  details_->addTab(&table_of(tables_.facts, "The selected bar"), "Selected");
  details_->addTab(&table_of(tables_.range, "What lies in the range"), "Range");
  auto& path = owned<QSplitter>(Qt::Horizontal);
  QTableView& shares = table_of(tables_.path_shares, "Shares of the critical path");
  QTableView& pieces = table_of(tables_.path, "Pieces of the critical path");
  path.addWidget(&shares);
  path.addWidget(&pieces);
  details_->addTab(&path, "Critical path");
  pipeline_ = &owned<PipelineView>();
  auto& scroll = owned<QScrollArea>();
  scroll.setWidget(pipeline_);
  scroll.setWidgetResizable(true);
  scroll.setFrameShape(QFrame::NoFrame);
  details_->addTab(&scroll, "Pipeline");
  matches_view_ = &table_of(tables_.matches, "Bars that were found");
  details_->addTab(matches_view_, "Found");
  const auto go = [this](QTableView& view, void (TimelinePage::*act)(int)) {
    for (const auto signal : {&QTableView::clicked, &QTableView::activated})
      connect(&view, signal, this, [this, act](const QModelIndex& at) { (this->*act)(at.row()); });
  };
  go(pieces, &TimelinePage::go_to_piece);
  go(shares, &TimelinePage::go_to_share);
  for (const auto signal : {&QTableView::clicked, &QTableView::activated})
    connect(matches_view_, signal, this, [this](const QModelIndex& at) {
      match_ = at.row() - 1;
      go_to_match(1);
    });
  details_->setCurrentIndex(3);
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

void TimelinePage::search() {
  search_later_.stop();
  match_ = -1;
  if (timeline_->scene() == nullptr) return;
  found_ = found_bars(*timeline_->scene(), search_->text());
  timeline_->set_matched(found_.matched);
  tables_.show_matches(*timeline_->scene(), found_);
  if (!found_.wrong.isEmpty()) emit document().failed("Search: " + found_.wrong);
  const bool asked = !search_->text().simplified().isEmpty();
  search_state_->setText(!found_.wrong.isEmpty() ? QString("not understood")
                         : asked ? QString("%L1 found").arg(found_.bars.size())
                                 : QString());
  if (asked && search_->hasFocus()) details_->setCurrentIndex(4);
}

void TimelinePage::go_to_match(int by) {
  if (search_later_.isActive()) search();
  const auto count = static_cast<int>(found_.bars.size());
  if (count == 0) return;
  match_ = match_ < 0 && by < 0 ? count - 1 : (match_ + by + count) % count;
  timeline_->select(found_.bars[static_cast<std::size_t>(match_)]);
  search_state_->setText(QString("%L1 of %L2").arg(match_ + 1).arg(count));
  matches_view_->selectRow(match_);
}

void TimelinePage::go_to_piece(int row) {
  if (timeline_->scene() == nullptr) return;
  auto left = static_cast<std::size_t>(row);
  for (const SceneSource& source : timeline_->scene()->sources) {
    if (left >= source.path.size()) {
      left -= source.path.size();
      continue;
    }
    const PathPiece& piece = source.path[left];
    if (piece.span >= 0)
      return timeline_->select(source.bar_of_span[static_cast<std::size_t>(piece.span)]);
    const Instant from = piece.from + source.shift, to = piece.to + source.shift;
    return timeline_->set_window(
        showing(timeline_->view().window, from, to, timeline_->scene()->whole));
  }
}

// To its longest piece.
void TimelinePage::go_to_share(int row) {
  if (timeline_->scene() == nullptr) return;
  auto left = static_cast<std::size_t>(row);
  int before = 0;
  for (const SceneSource& source : timeline_->scene()->sources) {
    if (left >= source.path_shares.size()) {
      left -= source.path_shares.size();
      before += static_cast<int>(source.path.size());
      continue;
    }
    return go_to_piece(before + static_cast<int>(longest_piece(
                                    source.timeline, source.path, source.path_shares[left])));
  }
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
                                timeline_->view().window, pipeline_left);
                 },
                 &tables_.passes});
  return all;
}

}  // namespace quintet::gui
