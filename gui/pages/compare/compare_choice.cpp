#include "gui/pages/compare/compare_choice.h"

#include <QFormLayout>
#include <QGridLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/widgets/owned.h"

namespace quintet::gui {

CompareChoice::CompareChoice(QWidget* parent) : QWidget(parent) {
  auto& column = owned<QVBoxLayout>(this);
  column.setContentsMargins(0, 0, 0, 0);
  auto& label = owned<QLabel>("&Side by side", this);
  list_ = &owned<QListWidget>(this);
  list_->setObjectName("compare-list");
  list_->setAccessibleName("What is compared");
  list_->setToolTip("Space chooses what stands side by side; Enter makes it the current scenario");
  label.setBuddy(list_);
  column.addWidget(&label);
  column.addWidget(list_, 1);
  auto& buttons = owned<QGridLayout>();
  keep_ = &add_button("Keep now", "Put the scenario aside as it is now");
  open_ = &add_button("Make current", "Make it the current scenario (undoable)");
  rename_ = &add_button("Rename...", "Give what was kept another name");
  forget_ = &add_button("Forget", "Keep it no longer (undoable)");
  keep_->setObjectName("compare-keep");
  open_->setObjectName("compare-open");
  rename_->setObjectName("compare-rename");
  forget_->setObjectName("compare-forget");
  buttons.addWidget(keep_, 0, 0);
  buttons.addWidget(open_, 0, 1);
  buttons.addWidget(rename_, 1, 0);
  buttons.addWidget(forget_, 1, 1);
  column.addLayout(&buttons);
  auto& form = owned<QFormLayout>();
  base_ = &owned<QComboBox>(this);
  base_->setObjectName("compare-base");
  base_->setAccessibleName("What the others are compared with");
  base_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  rank_ = &owned<QSpinBox>(this);
  rank_->setAccessibleName("Rank whose timeline is drawn");
  rank_->setToolTip("Where a rank is predicted together with others, the one that shows it");
  form.addRow("Base", base_);
  form.addRow("Timeline of rank", rank_);
  column.addLayout(&form);
  connect(list_, &QListWidget::itemChanged, this, [this](QListWidgetItem* item) {
    choose(item->data(Qt::UserRole).toString(), item->checkState() == Qt::Checked);
  });
  connect(list_, &QListWidget::currentRowChanged, this, [this] {
    show_buttons();
    emit changed();
  });
  connect(list_, &QListWidget::itemActivated, this, &CompareChoice::open_wanted);
  connect(base_, &QComboBox::currentIndexChanged, this, [this] {
    wanted_base_ = base();
    emit changed();
  });
  connect(rank_, &QSpinBox::valueChanged, this, &CompareChoice::changed);
  connect(keep_, &QPushButton::clicked, this, &CompareChoice::keep_wanted);
  connect(open_, &QPushButton::clicked, this, &CompareChoice::open_wanted);
  connect(rename_, &QPushButton::clicked, this, &CompareChoice::rename_wanted);
  connect(forget_, &QPushButton::clicked, this, &CompareChoice::forget_wanted);
}

QPushButton& CompareChoice::add_button(const QString& text, const QString& tip) {
  auto& button = owned<QPushButton>(text, this);
  button.setToolTip(tip);
  return button;
}

void CompareChoice::set_columns(const std::vector<CompareColumn>& columns) {
  const QSignalBlocker no_list(list_), no_base(base_);
  const QString current = this->current();
  columns_ = columns;
  list_->clear();
  base_->clear();
  for (const CompareColumn& column : columns_) {
    auto& item =
        owned<QListWidgetItem>(column.name + "\n" + (column.ready() ? column.note : column.state));
    list_->addItem(&item);
    item.setData(Qt::UserRole, column.key);
    item.setFlags(item.flags() | Qt::ItemIsUserCheckable);
    item.setCheckState(is_chosen(column.key) ? Qt::Checked : Qt::Unchecked);
    item.setToolTip(column.name + ": " + column.note +
                    (column.ready() ? QString() : "\n" + column.state));
    base_->addItem(column.name, column.key);
  }
  set_base(wanted_base_);
  set_current(current.isEmpty() ? "now" : current);
  show_buttons();
}

void CompareChoice::choose(const QString& key, bool chosen) {
  if (chosen)
    left_out_.erase(key);
  else
    left_out_.insert(key);
  const QSignalBlocker silent(list_);
  for (int row = 0; row < list_->count(); ++row)
    if (list_->item(row)->data(Qt::UserRole).toString() == key)
      list_->item(row)->setCheckState(chosen ? Qt::Checked : Qt::Unchecked);
  emit changed();
}

// What nobody chose: the first that was kept, else the one before, else the only one.
void CompareChoice::set_base(const QString& key) {
  int at = base_->findData(key);
  for (const ColumnKind kind : {ColumnKind::kept, ColumnKind::before, ColumnKind::now}) {
    if (at >= 0) break;
    for (std::size_t i = 0; i < columns_.size() && at < 0; ++i)
      if (columns_[i].kind == kind) at = static_cast<int>(i);
  }
  base_->setCurrentIndex(at);
}

QString CompareChoice::current() const {
  const QListWidgetItem* item = list_->currentItem();
  return item == nullptr ? QString() : item->data(Qt::UserRole).toString();
}

void CompareChoice::set_current(const QString& key) {
  for (int row = 0; row < list_->count(); ++row)
    if (list_->item(row)->data(Qt::UserRole).toString() == key) list_->setCurrentRow(row);
  if (list_->currentRow() < 0 && list_->count() > 0) list_->setCurrentRow(0);
}

void CompareChoice::set_ranks(int ranks) {
  const QSignalBlocker silent(rank_);
  rank_->setRange(0, std::max(0, ranks - 1));
}

void CompareChoice::show_buttons() {
  const QString key = current();
  const auto found = std::find_if(columns_.begin(), columns_.end(),
                                  [&](const CompareColumn& column) { return column.key == key; });
  const bool is_kept = found != columns_.end() && found->kind == ColumnKind::kept;
  const bool opens =
      found != columns_.end() && found->scenario.has_value() && found->kind != ColumnKind::now;
  rename_->setEnabled(is_kept);
  forget_->setEnabled(is_kept);
  open_->setEnabled(opens);
}

}  // namespace quintet::gui
