// One or two fields of the scenario varied: lines, a heat map, the front of what nothing beats.
#pragma once

#include <QComboBox>
#include <QStackedWidget>
#include <QTableView>

#include "gui/models/sweep_run.h"
#include "gui/pages/page.h"
#include "gui/pages/sweep/sweep_controls.h"
#include "gui/pages/sweep/sweep_plots.h"
#include "gui/widgets/plot_view.h"

namespace quintet::gui {

class SweepPage : public Page {
  Q_OBJECT
 public:
  SweepPage(Document& document, QWidget* parent);

  QString name() const override { return "sweep"; }
  QString title() const override { return "Sweep"; }
  QString question() const override { return "What if a field had other values: which is best?"; }
  std::vector<Exported> exports() override;
  QList<QAction*> own_actions() override { return actions_; }
  QString command() const override;
  bool busy() const override { return run_.running(); }

  void run();
  // As a person types them: for sessions and tests.
  void set_fields(const std::vector<SweptField>& fields);
  const SweepRun& sweep() const { return run_; }
  // The case with a number becomes the scenario; undoable.
  void open_case(int number);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  enum class View { lines, heat, pareto };

  QWidget& add_panel();
  void add_choices(QWidget& panel);
  void add_actions();
  QAction& add_action(const QString& text, const QString& keys, std::function<void()> act);
  View view() const;
  SweepShown shown() const;
  Plot plot() const;
  // Runs what nobody has asked for yet, where that is quick.
  void start_first();
  void show_points();
  void show_choices();
  void show_state();
  void offer_parts();

  SweepRun run_;
  SweepControls* controls_ = nullptr;
  QComboBox* view_ = nullptr;
  QComboBox* first_ = nullptr;
  QComboBox* second_ = nullptr;
  QWidget* second_row_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  PlotView* picture_ = nullptr;
  QTableView* table_ = nullptr;
  RowsModel rows_;
  QList<QAction*> actions_;
  QString wrong_;
  bool asked_ = false;  // somebody has chosen what to vary, or it runs already
};

}  // namespace quintet::gui
