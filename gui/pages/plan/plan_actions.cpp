// What the plan page can do beside editing fields: its actions, and the files that it writes.
#include <QFileDialog>

#include "gui/pages/plan/plan_page.h"
#include "gui/scenario/plan_state.h"
#include "gui/widgets/owned.h"
#include "sim/command/output_files.h"

namespace quintet::gui {

QAction& PlanPage::add_action(const QString& words, const QKeySequence& keys,
                              std::function<void()> act) {
  auto& action = owned<QAction>(words, this);
  action.setShortcut(keys);
  // Other pages have keys of their own.
  action.setShortcutContext(Qt::WidgetWithChildrenShortcut);
  connect(&action, &QAction::triggered, this, [act = std::move(act)] { act(); });
  actions_.push_back(&action);
  addAction(&action);
  return action;
}

void PlanPage::add_actions() {
  add_action("Find a field", QKeySequence::Find, [this] { panel_->find_field(); });
  add_action("Next field that does not fit", QKeySequence("F8"),
             [this] { panel_->next_problem(); });
  add_action("Leave the chosen field to the file", QKeySequence("Ctrl+Backspace"),
             [this] { panel_->reset_chosen(); });
  add_action("Leave all fields of the plan to the file", {}, [this] {
    document().edit("The plan as its file says", with_plan_as_file(document().scenario()));
  });
  QAction& tables =
      add_action("Tables in the place of the plan's pictures", QKeySequence("Ctrl+T"), [] {});
  tables.setCheckable(true);
  connect(&tables, &QAction::toggled, this, [this](bool on) {
    memory_->show_table(on);
    step_->show_table(on);
  });
  add_action("Save the plan as edited...", {}, [this] {
    const QString file = QFileDialog::getSaveFileName(this, "Save the plan as edited", "plan.json",
                                                      "Plans (*.json)");
    if (!file.isEmpty()) save_plan(file);
  });
  add_action("Save the machine as edited...", {}, [this] {
    const QString file = QFileDialog::getSaveFileName(this, "Save the machine as edited",
                                                      "machine.json", "Topologies (*.json)");
    if (!file.isEmpty()) save_machine(file);
  });
}

bool PlanPage::save_plan(const QString& file) {
  const Result<std::string> text = edited_plan_text(document().scenario(), places());
  std::optional<Error> error;
  if (!text)
    error = text.error();
  else
    error = write_file(file.toStdString(), *text);
  if (error)
    emit document().failed(QString::fromStdString(error->text()));
  else
    emit saved(file);
  return !error;
}

// A large machine has tens of megabytes.
void PlanPage::save_machine(const QString& file) {
  const Scenario scenario = document().scenario();
  const std::string name = file.toStdString();
  writer_.start("Writing " + file, [this, scenario, name, file](const Progress&) {
    const Result<std::string> text = edited_machine_text(scenario);
    std::optional<Error> error = text ? write_file(name, *text) : std::optional(text.error());
    return [this, file, error] {
      if (error)
        emit document().failed(QString::fromStdString(error->text()));
      else
        emit saved(file);
    };
  });
}

}  // namespace quintet::gui
