// Scenarios side by side: where their steps' time goes, what differs and why, their timelines over
// one range.
#pragma once

#include <QLabel>
#include <QTabWidget>
#include <QTableView>
#include <QTextBrowser>
#include <optional>

#include "gui/models/compare_tables.h"
#include "gui/pages/compare/compare_choice.h"
#include "gui/pages/compare/strips_view.h"
#include "gui/pages/page.h"
#include "gui/widgets/plot_view.h"
#include "gui/work/worker.h"

namespace quintet::gui {

class ComparePage : public Page {
  Q_OBJECT
 public:
  ComparePage(Document& document, QWidget* parent);

  QString name() const override { return "compare"; }
  QString title() const override { return "Compare"; }
  QString question() const override { return "Which is better, by how much, and why?"; }
  std::vector<Exported> exports() override;
  QList<QAction*> own_actions() override { return actions_; }
  bool busy() const override { return differs_.busy() || sums_.busy(); }

  void keep(const QString& name);  // the scenario as it is now
  void rename_current(const QString& name);
  void forget_current();
  void open_current();  // becomes the scenario; undoable
  CompareChoice& choice() { return *choice_; }
  void show_difference_by(DifferenceBy by);

 private:
  QWidget& add_pictures();
  QWidget& add_tables();
  QTableView& add_table(QAbstractItemModel& model, const QString& name);
  void add_actions();
  QAction& add_action(const QString& text, const QString& keys, std::function<void()> act);
  void take_columns();
  void sum_up_recording();
  void show_columns();
  void show_strips();
  void find_difference();
  void show_difference();
  const CompareColumn* column(const QString& key) const;
  // What stands beside the base: the current one, or else the first that is another.
  const CompareColumn* other() const;
  Columns chosen() const;
  std::size_t base_among(const Columns& columns) const;
  void ask_name(bool renames);

  CompareChoice* choice_ = nullptr;
  PlotView* bars_ = nullptr;
  StripsView* strips_ = nullptr;
  QTabWidget* tables_ = nullptr;
  QComboBox* by_ = nullptr;
  QTextBrowser* words_ = nullptr;
  RowsModel figures_, parts_, difference_;
  QList<QAction*> actions_;
  std::vector<CompareColumn> columns_;
  std::optional<RankBreakdown> recorded_;
  std::optional<StepParts> between_;
  QString between_base_, between_other_, between_wrong_;
  Worker differs_, sums_;  // end first
};

}  // namespace quintet::gui
