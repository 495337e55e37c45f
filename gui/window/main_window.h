// The window: pages, the step above them, menus, undo, files, export.
#pragma once

#include <QMainWindow>
#include <QTabWidget>
#include <filesystem>
#include <vector>

#include "gui/document/document.h"
#include "gui/pages/page.h"
#include "gui/scenario/input_files.h"
#include "gui/window/autosave.h"

class QListWidget;
class QLineEdit;

namespace quintet::gui {

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  // The document outlives the window. `autosaves`: the folder for automatic saves.
  MainWindow(Document& document, std::filesystem::path autosaves, QWidget* parent = nullptr);

  const std::vector<Page*>& pages() const { return pages_; }
  // Null where there is none of this name.
  Page* page(const QString& name) const;
  void show_page(const QString& name);

  // Files are opened as what they are: a session, a trace, a plan, a machine, a cost table, a
  // model, by what they hold. What is wrong with them is said in a message; true: it was opened.
  bool open_file(const QString& file);
  bool save_as(const QString& file);

  // Every action of menus and pages, for the palette and tests.
  std::vector<QAction*> actions_of_all() const;
  void show_palette();

 protected:
  void closeEvent(QCloseEvent* event) override;

 private:
  bool open_input(InputKind kind, const QString& file);
  void add_menus();
  void add_file_menu();
  void add_edit_menu();
  void add_view_menu();
  void add_step_menu();
  void add_help_menu();
  QAction& add_action(QMenu& menu, const QString& text, const QKeySequence& keys,
                      std::function<void()> act);
  void add_docks();
  void add_command_bar();
  void show_theme();
  void show_title();
  void show_effects();
  void show_command();
  void ask_open();
  bool open_session(const QString& file);
  bool ask_save();
  void ask_export(bool whole_page);
  void keep_scenario();
  void complain(const QString& text);
  void remember_view();

  Document& document_;
  Autosave autosave_;
  QTabWidget* tabs_ = nullptr;
  std::vector<Page*> pages_;
  std::vector<QAction*> actions_;
  QListWidget* effects_ = nullptr;
  QLineEdit* command_ = nullptr;
  QString file_;  // the session's; empty: not saved yet
};

}  // namespace quintet::gui
