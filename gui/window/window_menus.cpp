// The window's menus.

#include <QApplication>
#include <QClipboard>
#include <QDockWidget>
#include <QFileDialog>
#include <QLineEdit>
#include <QMenuBar>
#include <QMessageBox>
#include <QToolBar>
#include <utility>

#include "gui/scenario/session_file.h"
#include "gui/window/command_palette.h"
#include "gui/window/main_window.h"

namespace quintet::gui {

QAction& MainWindow::add_action(QMenu& menu, const QString& text, const QKeySequence& keys,
                                std::function<void()> act) {
  QAction* action = menu.addAction(text);
  action->setShortcut(keys);
  connect(action, &QAction::triggered, this, [act = std::move(act)] { act(); });
  actions_.push_back(action);
  return *action;
}

void MainWindow::add_menus() {
  add_file_menu();
  add_edit_menu();
  add_step_menu();
  add_view_menu();
  for (Page* page : pages_) {
    const QList<QAction*> own = page->own_actions();
    if (own.isEmpty()) continue;
    QMenu* menu = menuBar()->addMenu(page->title());
    menu->addActions(own);
    actions_.insert(actions_.end(), own.begin(), own.end());
  }
  add_help_menu();
}

void MainWindow::add_file_menu() {
  QMenu& menu = *menuBar()->addMenu("&File");
  add_action(menu, "New from the example", QKeySequence::New, [this] {
    if (!ask_save()) return;
    file_.clear();
    document_.open({});
  });
  add_action(menu, "Open...", QKeySequence::Open, [this] { ask_open(); });
  add_action(menu, "Save session", QKeySequence::Save, [this] {
    if (file_.isEmpty())
      ask_save();
    else
      save_as(file_);
  });
  add_action(menu, "Save session as...", QKeySequence::SaveAs, [this] {
    const QString file = QFileDialog::getSaveFileName(
        this, "Save session", file_, QString("Sessions (*%1)").arg(session_ending));
    if (!file.isEmpty()) save_as(file);
  });
  add_action(menu, "Close the recording", {}, [this] { document_.load_recording(""); });
  menu.addSeparator();
  add_action(menu, "Export a picture or table...", QKeySequence("Ctrl+E"),
             [this] { ask_export(false); });
  add_action(menu, "Export all of this page...", QKeySequence("Ctrl+Shift+E"),
             [this] { ask_export(true); });
  menu.addSeparator();
  add_action(menu, "Quit", QKeySequence::Quit, [this] { close(); });
}

void MainWindow::add_edit_menu() {
  QMenu& menu = *menuBar()->addMenu("&Edit");
  QAction* undo = document_.undo_stack().createUndoAction(this);
  undo->setShortcut(QKeySequence::Undo);
  QAction* redo = document_.undo_stack().createRedoAction(this);
  redo->setShortcuts({QKeySequence("Ctrl+Shift+Z"), QKeySequence("Ctrl+Y")});
  menu.addActions({undo, redo});
  actions_.insert(actions_.end(), {undo, redo});
  add_action(menu, "Restore all parts", {}, [this] {
    Scenario next = document_.scenario();
    next.faults = {};
    document_.edit("Restore all parts", next);
  });
  add_action(menu, "All fields as their files say", {}, [this] {
    Scenario next = document_.scenario();
    next.settings.clear();
    next.hosts.reset();
    document_.edit("All fields as their files say", next);
  });
  add_action(menu, "Copy the command", QKeySequence("Ctrl+Shift+C"),
             [this] { QApplication::clipboard()->setText(command_->text()); });
}

void MainWindow::add_step_menu() {
  QMenu& menu = *menuBar()->addMenu("&Step");
  add_action(menu, "Predict now", QKeySequence("F5"), [this] { document_.predict(); });
  add_action(menu, "Cancel the prediction", QKeySequence("Ctrl+."), [this] { document_.cancel(); });
  QAction& automatic = add_action(menu, "Predict each edit by itself", {}, [] {});
  automatic.setCheckable(true);
  automatic.setChecked(true);
  connect(&automatic, &QAction::toggled, this, [this](bool on) {
    document_.set_automatic(on ? Automatic::quick_ones : Automatic::never);
  });
  menu.addSeparator();
  add_action(menu, "Keep, to compare with...", QKeySequence("Ctrl+K"), [this] { keep_scenario(); });
}

void MainWindow::add_view_menu() {
  QMenu& menu = *menuBar()->addMenu("&View");
  for (std::size_t i = 0; i < pages_.size(); ++i)
    add_action(menu, "Page: " + pages_[i]->title(), QKeySequence(QString("Ctrl+%1").arg(i + 1)),
               [this, i] { tabs_->setCurrentWidget(pages_[i]); });
  menu.addSeparator();
  for (const auto& [text, appearance] :
       {std::pair{"Light", Appearance::light}, std::pair{"Dark", Appearance::dark},
        std::pair{"High contrast", Appearance::high_contrast}})
    add_action(menu, text, {}, [this, chosen = appearance] { document_.set_appearance(chosen); });
  menu.addSeparator();
  for (QDockWidget* dock : findChildren<QDockWidget*>()) {
    menu.addAction(dock->toggleViewAction());
    actions_.push_back(dock->toggleViewAction());
  }
  for (QToolBar* bar : findChildren<QToolBar*>(QString(), Qt::FindDirectChildrenOnly)) {
    menu.addAction(bar->toggleViewAction());
    actions_.push_back(bar->toggleViewAction());
  }
}

void MainWindow::add_help_menu() {
  QMenu& menu = *menuBar()->addMenu("&Help");
  add_action(menu, "Commands...", QKeySequence("Ctrl+Shift+P"), [this] { show_palette(); });
  add_action(menu, "Keys", QKeySequence("F1"),
             [this] { QMessageBox::information(this, "Keys", keys_html(actions_of_all())); });
}

}  // namespace quintet::gui
