// How the page is put together: header, list of parts, picture and points.
#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "gui/pages/calibration/calibration_page.h"
#include "gui/widgets/owned.h"

namespace quintet::gui {

namespace {

void show_as_list(QTableView& view, const QString& name) {
  view.setAccessibleName(name);
  view.setSelectionBehavior(QAbstractItemView::SelectRows);
  view.setSelectionMode(QAbstractItemView::SingleSelection);
  view.setTabKeyNavigation(false);
  view.setWordWrap(false);
  view.verticalHeader()->hide();
  view.verticalHeader()->setDefaultSectionSize(22);
  view.horizontalHeader()->setHighlightSections(false);
  view.setAlternatingRowColors(true);
}

QToolButton& button_of(QAction& action, QWidget& parent) {
  auto& button = owned<QToolButton>(&parent);
  button.setDefaultAction(&action);
  button.setFocusPolicy(Qt::StrongFocus);
  button.setAccessibleName(action.text());
  return button;
}

}  // namespace

void CalibrationPage::add_action(const QString& text, const QString& brief,
                                 const QKeySequence& keys, std::function<void()> act) {
  auto& action = owned<QAction>(text, this);
  action.setIconText(brief);
  action.setShortcut(keys);
  action.setShortcutContext(Qt::WidgetWithChildrenShortcut);
  action.setToolTip(keys.isEmpty() ? text : QString("%1 (%2)").arg(text, keys.toString()));
  connect(&action, &QAction::triggered, this, [act = std::move(act)] { act(); });
  actions_.push_back(&action);
  addAction(&action);
}

void CalibrationPage::choose_of_part(const QString& what,
                                     ExcludedPoints (CostReview::*chosen)(std::size_t) const) {
  if (chosen_part() < 0) return;
  review_.choose(what, (review_.*chosen)(static_cast<std::size_t>(chosen_part())));
}

void CalibrationPage::add_actions() {
  add_action("Open a cost table...", "Open...", {}, [this] { ask_open(); });
  add_action("Leave out or accept the point", "Leave out or accept", QKeySequence("X"),
             [this] { view_->toggle_chosen(); });
  add_action("Leave out what the others contradict", "Leave out contradicted",
             QKeySequence("Shift+X"), [this] {
               choose_of_part("Leave out what the others contradict",
                              &CostReview::with_contradicted);
             });
  add_action("Accept all points of this part", "Accept part", QKeySequence("A"), [this] {
    choose_of_part("Accept all points of this part", &CostReview::with_all_of);
  });
  add_action("Accept all points of the table", "Accept all", QKeySequence("Shift+A"),
             [this] { review_.choose("Accept all points of the table", {}); });
  add_action("Undo the choice of points", "Undo", QKeySequence("Ctrl+Alt+Z"),
             [this] { review_.undo_stack().undo(); });
  add_action("Redo the choice of points", "Redo", QKeySequence("Ctrl+Alt+Y"),
             [this] { review_.undo_stack().redo(); });
  add_action("Save the cost table as...", "Save as...", {}, [this] { ask_save(false); });
  add_action("Use in the prediction...", "Use in the prediction...", QKeySequence("U"),
             [this] { ask_save(true); });
  add_action("Show times or rates", "Times / rates", QKeySequence("R"), [this] {
    view_->show_quantity(view_->quantity() == FitQuantity::time ? FitQuantity::rate
                                                                : FitQuantity::time);
  });
  add_undo_words();
}

// Their tips say what they undo and redo.
void CalibrationPage::add_undo_words() {
  const auto match = [this](Act act, bool can, const QString& what) {
    actions_[act]->setEnabled(can);
    actions_[act]->setToolTip(actions_[act]->text() + (what.isEmpty() ? "" : ": " + what));
  };
  const auto show = [this, match] {
    const QUndoStack& stack = review_.undo_stack();
    match(undo, stack.canUndo(), stack.undoText());
    match(redo, stack.canRedo(), stack.redoText());
  };
  connect(&review_.undo_stack(), &QUndoStack::indexChanged, this, show);
  show();
}

QWidget& CalibrationPage::header() {
  auto& box = owned<QWidget>(this);
  auto& row = owned<QHBoxLayout>(&box);
  row.setContentsMargins(0, 0, 0, 0);
  file_ = &owned<QLabel>(&box);
  file_->setAccessibleName("The cost table");
  row.addWidget(file_, 1);
  for (const Act act : {open, undo, redo, save, use})
    row.addWidget(&button_of(*actions_[act], box));
  return box;
}

QWidget& CalibrationPage::parts_list(QWidget& parent) {
  auto& box = owned<QWidget>(&parent);
  auto& column = owned<QVBoxLayout>(&box);
  column.setContentsMargins(0, 0, 0, 0);
  filter_ = &owned<QLineEdit>(&box);
  filter_->setPlaceholderText("Find a part: mlp_up, all-reduce, ...");
  filter_->setAccessibleName("Find a part of the cost table");
  filter_->setClearButtonEnabled(true);
  connect(filter_, &QLineEdit::textChanged, &sorted_, &QSortFilterProxyModel::setFilterFixedString);
  column.addWidget(filter_);
  parts_view_ = &owned<QTableView>(&box);
  show_as_list(*parts_view_, "Parts of the cost table");
  parts_view_->setModel(&sorted_);
  parts_view_->setSortingEnabled(true);
  parts_view_->sortByColumn(-1, Qt::AscendingOrder);
  connect(parts_view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this] { show_chosen_part(); });
  column.addWidget(parts_view_, 1);
  return box;
}

QWidget& CalibrationPage::points_list(QWidget& parent) {
  points_view_ = &owned<QTableView>(&parent);
  show_as_list(*points_view_, "Points of the chosen part");
  points_view_->setModel(&points_);
  connect(points_view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& index) {
            if (index.isValid()) view_->choose(static_cast<std::size_t>(index.row()));
          });
  return *points_view_;
}

QWidget& CalibrationPage::lists_side() {
  auto& lists = owned<QSplitter>(Qt::Vertical, this);
  lists.addWidget(&parts_list(lists));
  lists.addWidget(&points_list(lists));
  lists.setSizes({330, 300});
  return lists;
}

QWidget& CalibrationPage::picture_side() {
  auto& box = owned<QWidget>(this);
  auto& column = owned<QVBoxLayout>(&box);
  column.setContentsMargins(0, 0, 0, 0);
  auto& row = owned<QHBoxLayout>();
  column.addLayout(&row);
  view_ = &owned<FitView>(document(), points_, &box);
  column.addWidget(view_, 1);
  change_ = &owned<QLabel>(&box);
  change_->setAccessibleName("What leaving points out did");
  source_ = &owned<QLabel>(&box);
  source_->setAccessibleName("Where and when the chosen part was measured");
  source_->setForegroundRole(QPalette::PlaceholderText);
  source_->setWordWrap(true);
  source_->setMaximumHeight(3 * fontMetrics().lineSpacing());
  column.addWidget(change_);
  column.addWidget(source_);
  for (const Act act : {toggle, contradicted, accept_part, accept_table, rates})
    row.addWidget(&button_of(*actions_[act], box));
  row.addStretch();
  connect(view_, &FitView::chosen_changed, this, [this] {
    if (view_->chosen())
      points_view_->selectRow(static_cast<int>(*view_->chosen()));
    else
      points_view_->clearSelection();
  });
  return box;
}

}  // namespace quintet::gui
