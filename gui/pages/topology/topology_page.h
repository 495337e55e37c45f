// The machine as a picture: what carries the load, and what happens when it breaks.
#pragma once

#include <QHBoxLayout>
#include <QMenu>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <memory>
#include <optional>

#include "gui/models/link_table.h"
#include "gui/pages/page.h"
#include "gui/pages/topology/fabric_panel.h"
#include "gui/pages/topology/machine_canvas.h"
#include "gui/pages/topology/part_panel.h"
#include "gui/pages/topology/scrubber.h"
#include "gui/topology/fabric_picture.h"

namespace quintet::gui {

class TopologyPage : public Page {
  Q_OBJECT
 public:
  TopologyPage(Document& document, QWidget* parent);

  QString name() const override { return "topology"; }
  QString title() const override { return "Topology"; }
  QString question() const override {
    return "What carries the load, and what happens when it breaks?";
  }
  std::vector<Exported> exports() override;
  QList<QAction*> own_actions() override { return actions_; }
  bool busy() const override { return builder_.busy() || waits_; }

  // What the picture shows, for tests.
  const FabricPicture& picture() const { return picture_; }
  const std::vector<bool>& unfolded() const { return unfolded_; }
  MachineCanvas& canvas() { return *canvas_; }

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void add_widgets();
  void add_actions();
  QAction& add_action(const QString& text, const QKeySequence& keys, std::function<void()> act);

  void add_tool(QAction& action, const QString& text);

  // The machine that the scenario names, read anew where it is another.
  void show_machine();
  void take_machine(Result<MachineView> machine, const Result<std::vector<FabricField>>& fields);
  void show_loads();
  void show_table();
  void show_badges();
  void show_choice();
  void show_panel();
  void refold(int kept_box);

  void choose_box(int box);
  void choose_bundle(int bundle);
  void choose_nothing();
  void open_or_close(int box);
  void close_one_level();
  void go(const QPointF& direction);
  void go_along_link(int by);
  void ask_fault(const PartFault& fault, const QString& what, int merge);
  void change_fault(const std::function<void(PartFault&)>& change, const QString& what);
  void show_menu(const QPoint& global);
  void fold_all(bool unfold);

  std::optional<TimeRange> shown_range() const;
  QString moment_text() const;
  bool outcome_is_of_machine() const;

  std::unique_ptr<MachineView> machine_;
  std::optional<MachineKey> asked_;  // that is read now, or was read last
  std::vector<bool> unfolded_;
  FabricPicture picture_;
  Worker builder_;
  bool waits_ = true;  // for the first machine
  int box_ = -1;       // chosen, where it is no part that can break

  QHBoxLayout* tools_ = nullptr;
  MachineCanvas* canvas_ = nullptr;
  QStackedWidget* views_ = nullptr;
  QTableView* table_view_ = nullptr;
  LinkTable table_;
  QTabWidget* side_ = nullptr;
  PartPanel* part_panel_ = nullptr;
  FabricPanel* fabric_panel_ = nullptr;
  Scrubber* scrubber_ = nullptr;
  QAction* show_table_ = nullptr;
  QAction* fail_ = nullptr;
  QAction* restore_ = nullptr;
  std::vector<std::pair<QAction*, double>> slow_;
  QAction* delay_ = nullptr;
  QList<QAction*> actions_;
};

}  // namespace quintet::gui
