#include "gui/pages/plan/field_panel.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QVBoxLayout>

#include "gui/pages/plan/field_delegate.h"
#include "gui/widgets/owned.h"

namespace quintet::gui {

FieldPanel::FieldPanel(const Document& document, FieldTreeModel& model, QWidget* parent)
    : QWidget(parent), document_(document), model_(model) {
  owned<QVBoxLayout>(this).setContentsMargins(0, 0, 0, 0);
  filter_.setSourceModel(&model_);
  add_filter();
  add_tree();
  detail_ = &owned<QLabel>(this);
  detail_->setWordWrap(true);
  detail_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  detail_->setMinimumHeight(3 * fontMetrics().lineSpacing());
  detail_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  detail_->setAccessibleName("Meaning of the chosen field");
  layout()->addWidget(detail_);
  connect(tree_->selectionModel(), &QItemSelectionModel::currentChanged, this,
          &FieldPanel::show_detail);
  connect(&model_, &FieldTreeModel::dataChanged, this, &FieldPanel::show_detail);
  show_detail();
}

void FieldPanel::add_filter() {
  auto& row = owned<QHBoxLayout>();
  filter_line_ = &owned<QLineEdit>(this);
  filter_line_->setPlaceholderText("Find a field: name, meaning or word (Ctrl+F)");
  filter_line_->setClearButtonEnabled(true);
  filter_line_->setAccessibleName("Find a field");
  changed_ = &owned<QCheckBox>("Changed only", this);
  changed_->setToolTip("Only fields that are not as the plan's file says");
  row.addWidget(filter_line_);
  row.addWidget(changed_);
  static_cast<QVBoxLayout*>(layout())->addLayout(&row);
  connect(filter_line_, &QLineEdit::textChanged, this, [this](const QString& words) {
    filter_.look_for(words);
    show_filtered();
  });
  connect(changed_, &QCheckBox::toggled, this, [this](bool only) {
    filter_.show_changed_only(only);
    show_filtered();
  });
}

void FieldPanel::add_tree() {
  tree_ = &owned<QTreeView>(this);
  tree_->setModel(&filter_);
  auto& delegate = owned<FieldDelegate>(document_, tree_);
  tree_->setItemDelegate(&delegate);
  tree_->setAlternatingRowColors(true);
  tree_->setUniformRowHeights(true);
  tree_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed |
                         QAbstractItemView::AnyKeyPressed | QAbstractItemView::SelectedClicked);
  tree_->setAccessibleName("Fields of the plan");
  tree_->installEventFilter(this);
  QHeaderView& header = *tree_->header();
  header.setStretchLastSection(true);
  const int letter = fontMetrics().averageCharWidth();
  header.resizeSection(FieldTreeModel::field_column, 28 * letter);
  header.resizeSection(FieldTreeModel::value_column, 18 * letter);
  header.resizeSection(FieldTreeModel::file_column, 14 * letter);
  for (int row = 0; row < filter_.rowCount(); ++row) {
    const QString path = filter_.index(row, 0).data(FieldTreeModel::path_role).toString();
    if (path != "run") tree_->expand(filter_.index(row, 0));
  }
  layout()->addWidget(tree_);
  static_cast<QVBoxLayout*>(layout())->setStretchFactor(tree_, 1);
  connect(&delegate, &FieldDelegate::doubted, this, [this](const QString& why) {
    if (why.isEmpty())
      show_detail();
    else
      detail_->setText("! " + why);
  });
}

void FieldPanel::show_filtered() {
  if (!filter_line_->text().isEmpty() || changed_->isChecked()) tree_->expandAll();
}

void FieldPanel::show_detail() {
  const QModelIndex at = tree_->currentIndex();
  detail_->setText(at.isValid() ? at.data(Qt::ToolTipRole).toString()
                                : QString("Choose a field to read what it means. Enter or F2 "
                                          "changes it; Ctrl+Backspace leaves it to the file."));
}

void FieldPanel::choose(const std::string& path) {
  const QModelIndex source = model_.index_of(path);
  if (!source.isValid()) return;
  if (!filter_.mapFromSource(source).isValid()) {
    filter_line_->clear();
    changed_->setChecked(false);
  }
  const QModelIndex at = filter_.mapFromSource(source);
  for (QModelIndex above = at.parent(); above.isValid(); above = above.parent())
    tree_->expand(above);
  tree_->setCurrentIndex(at);
  tree_->scrollTo(at, QAbstractItemView::PositionAtCenter);
  tree_->setFocus();
}

void FieldPanel::find_field() {
  filter_line_->setFocus();
  filter_line_->selectAll();
}

void FieldPanel::next_problem() {
  std::vector<std::string> paths;
  std::size_t next = 0;
  const QString chosen = tree_->currentIndex().data(FieldTreeModel::path_role).toString();
  const std::function<void(const QModelIndex&)> visit = [&](const QModelIndex& above) {
    for (int row = 0; row < model_.rowCount(above); ++row) {
      const QModelIndex at = model_.index(row, 0, above);
      if (!at.data(FieldTreeModel::problem_role).toString().isEmpty())
        paths.push_back(at.data(FieldTreeModel::path_role).toString().toStdString());
      if (!paths.empty() && QString::fromStdString(paths.back()) == chosen) next = paths.size();
      visit(at);
    }
  };
  visit({});
  if (!paths.empty()) choose(paths[next % paths.size()]);
}

void FieldPanel::reset_chosen() {
  model_.reset(filter_.mapToSource(tree_->currentIndex()));
}

// Enter begins to edit, as F2 does; Down leads from the filter into the tree.
bool FieldPanel::eventFilter(QObject* watched, QEvent* event) {
  if (watched == tree_ && event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    const QModelIndex at = tree_->currentIndex();
    if ((key == Qt::Key_Return || key == Qt::Key_Enter) && at.isValid()) {
      const QModelIndex value = at.siblingAtColumn(FieldTreeModel::value_column);
      // An editor that takes Enter hands it on.
      if (tree_->isPersistentEditorOpen(value)) return false;
      if (value.flags() & Qt::ItemIsEditable) {
        tree_->setCurrentIndex(value);
        tree_->edit(value);
        return true;
      }
    }
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace quintet::gui
