// What surrounds the timeline on its page: fields, buttons, progress, tables.
#include <QCheckBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <algorithm>

#include "gui/pages/timeline/timeline_page.h"
#include "gui/widgets/owned.h"

namespace quintet::gui {

void TimelinePage::add_bar() {
  auto& bar = owned<QWidget>(this);
  layout()->addWidget(&bar);
  auto& row = owned<QHBoxLayout>(&bar);
  row.setContentsMargins(8, 5, 8, 5);
  filter_ = &owned<QLineEdit>(&bar);
  filter_->setPlaceholderText("Rows, such as: rank 0 compute");
  filter_->setAccessibleName("Show only rows with these words");
  filter_->setToolTip(
      "Only rows whose rank, stage or lane has all of these words; pinned ones stay");
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
  const auto add_choice = [&](QAction* action, const QString& text) {
    auto& box = owned<QCheckBox>(text, &bar);
    box.setChecked(action->isChecked());
    box.setToolTip(action->text() + " (" + action->shortcut().toString() + ")");
    connect(&box, &QCheckBox::clicked, action, &QAction::trigger);
    connect(action, &QAction::toggled, &box, &QCheckBox::setChecked);
    row.addWidget(&box);
  };
  add_button(timeline_->action("fit"), "Fit");
  add_choice(timeline_->action("path"), "Critical path");
  add_choice(timeline_->action("messages"), "Messages");
  add_choice(as_table_, "Table");
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
  connect(&reader, &Worker::progressed, this,
          [this](double share) { reading_progress_->setValue(static_cast<int>(share * 1000)); });
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
  view.horizontalHeader()->setStretchLastSection(&model == &tables_.facts);
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
  scroll.setAccessibleName("Pipeline");
  // As wide as that of the rows, so that both have one time axis.
  scroll.setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
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

}  // namespace quintet::gui
