// How is the model trained, what does not fit, what fills the memory, and what did each change do?
#pragma once

#include <QAction>
#include <QSplitter>
#include <QTabWidget>
#include <optional>
#include <vector>

#include "gui/models/field_tree_model.h"
#include "gui/models/rows_model.h"
#include "gui/pages/page.h"
#include "gui/pages/plan/field_panel.h"
#include "gui/pages/plan/input_row.h"
#include "gui/pages/plan/picture_box.h"
#include "gui/pages/plan/plan_pictures.h"
#include "gui/pages/plan/step_memory.h"
#include "gui/scenario/plan_state.h"
#include "gui/work/worker.h"

namespace quintet::gui {

class PlanPage : public Page {
  Q_OBJECT
 public:
  PlanPage(Document& document, QWidget* parent);

  QString name() const override { return "plan"; }
  QString title() const override { return "Plan"; }
  QString question() const override {
    return "How is the model trained, does it fit, and what did each change do to the step?";
  }
  std::vector<Exported> exports() override;
  QList<QAction*> own_actions() override { return actions_; }
  bool busy() const override { return writer_.busy(); }

  // What is wrong is said (Document::failed); saved() tells the end. The second in a thread.
  bool save_plan(const QString& file);
  void save_machine(const QString& file);

  FieldTreeModel& fields() { return fields_; }
  FieldPanel& panel() { return *panel_; }
  InputRow& inputs() { return *inputs_; }
  QTableView& problems() { return *problems_; }
  const StepMemory& steps() const { return steps_; }

 signals:
  void saved(const QString& file);

 private:
  void add_actions();
  QAction& add_action(const QString& text, const QKeySequence& keys, std::function<void()> act);
  QWidget& right_side();
  void show_scenario();
  void show_outcome();
  std::vector<FieldProblem> problems_now(const PlanState& state) const;
  int places() const;
  std::optional<Error> change(const std::string& field, const std::string& value, bool only_check);
  MemoryBars memory_bars() const;
  StepBars step_bars() const;

  FieldTreeModel fields_;
  RowsModel problem_rows_, memory_rows_, difference_rows_, effect_rows_;
  StepMemory steps_;
  Worker writer_;
  QList<QAction*> actions_;
  InputRow* inputs_ = nullptr;
  FieldPanel* panel_ = nullptr;
  QTableView* problems_ = nullptr;
  PictureBox* memory_ = nullptr;
  PictureBox* step_ = nullptr;
  QTabWidget* changes_ = nullptr;
};

}  // namespace quintet::gui
