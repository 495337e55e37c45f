// Which scenarios are compared, with which as the base, and what can be done with each.
#pragma once

#include <QComboBox>
#include <QListWidget>
#include <QPushButton>
#include <QSpinBox>
#include <QWidget>
#include <set>
#include <vector>

#include "gui/models/compare_columns.h"

namespace quintet::gui {

class CompareChoice : public QWidget {
  Q_OBJECT
 public:
  explicit CompareChoice(QWidget* parent);

  // What was left out stays so, by key.
  void set_columns(const std::vector<CompareColumn>& columns);

  bool is_chosen(const QString& key) const { return !left_out_.contains(key); }
  void choose(const QString& key, bool chosen);
  QString base() const { return base_->currentData().toString(); }
  void set_base(const QString& key);
  // The one that buttons act on; empty: none.
  QString current() const;
  void set_current(const QString& key);
  int rank() const { return rank_->value(); }
  void set_ranks(int ranks);

 signals:
  void changed();
  void keep_wanted();
  void rename_wanted();
  void forget_wanted();
  void open_wanted();

 private:
  QPushButton& add_button(const QString& text, const QString& tip);
  void show_buttons();

  std::vector<CompareColumn> columns_;
  std::set<QString> left_out_;
  QString wanted_base_;
  QListWidget* list_ = nullptr;
  QComboBox* base_ = nullptr;
  QSpinBox* rank_ = nullptr;
  QPushButton *keep_ = nullptr, *rename_ = nullptr, *forget_ = nullptr, *open_ = nullptr;
};

}  // namespace quintet::gui
