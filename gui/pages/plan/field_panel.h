// The plan's fields: a filter, the tree, and what is to be said of the field that is chosen.
#pragma once

#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QTreeView>
#include <QWidget>

#include "gui/document/document.h"
#include "gui/models/field_filter.h"
#include "gui/models/field_tree_model.h"

namespace quintet::gui {

class FieldPanel : public QWidget {
  Q_OBJECT
 public:
  // The model outlives the panel.
  FieldPanel(const Document& document, FieldTreeModel& model, QWidget* parent);

  // Chosen, and where somebody sees it; the filter is let go where it hides it.
  void choose(const std::string& path);
  void find_field();  // the keyboard goes to the filter
  void next_problem();
  void reset_chosen();
  QTreeView& tree() { return *tree_; }
  QLineEdit& filter_line() { return *filter_line_; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void add_filter();
  void add_tree();
  void show_detail();
  void show_filtered();

  const Document& document_;
  FieldTreeModel& model_;
  FieldFilter filter_;
  QLineEdit* filter_line_ = nullptr;
  QCheckBox* changed_ = nullptr;
  QTreeView* tree_ = nullptr;
  QLabel* detail_ = nullptr;
};

}  // namespace quintet::gui
