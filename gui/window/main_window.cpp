#include "gui/window/main_window.h"

#include <QApplication>
#include <QClipboard>
#include <QCloseEvent>
#include <QDockWidget>
#include <QFileDialog>
#include <QInputDialog>
#include <QLineEdit>
#include <QListWidget>
#include <QMenuBar>
#include <QMessageBox>
#include <QPushButton>
#include <QStatusBar>
#include <QVBoxLayout>
#include <utility>

#include "gui/export/export.h"
#include "gui/pages/all_pages.h"
#include "gui/scenario/scenario_command.h"
#include "gui/scenario/session_file.h"
#include "gui/widgets/owned.h"
#include "gui/window/command_palette.h"
#include "gui/window/effect_text.h"
#include "gui/window/opened_file.h"
#include "gui/window/step_strip.h"

namespace quintet::gui {

MainWindow::MainWindow(Document& document, std::filesystem::path autosaves, QWidget* parent)
    : QMainWindow(parent), document_(document), autosave_(document, std::move(autosaves)) {
  resize(1600, 900);
  auto& middle = owned<QWidget>(this);
  auto& column = owned<QVBoxLayout>(&middle);
  column.setContentsMargins(0, 0, 0, 0);
  column.setSpacing(0);
  column.addWidget(&owned<StepStrip>(document_, &middle));
  tabs_ = &owned<QTabWidget>(&middle);
  tabs_->setDocumentMode(true);
  column.addWidget(tabs_);
  setCentralWidget(&middle);
  pages_ = all_pages(document_, *tabs_);
  for (Page* page : pages_) {
    const int tab = tabs_->addTab(page, page->title());
    tabs_->setTabToolTip(tab, page->question());
    page->setAccessibleName(page->title());
    page->setAccessibleDescription(page->question());
  }
  add_docks();
  add_menus();
  statusBar()->setSizeGripEnabled(false);
  connect(&document_, &Document::appearance_changed, this, &MainWindow::show_theme);
  connect(&document_, &Document::session_changed, this, &MainWindow::show_title);
  connect(&document_, &Document::session_changed, this, &MainWindow::show_command);
  connect(&document_, &Document::outcome_changed, this, &MainWindow::show_effects);
  connect(&document_, &Document::scenario_changed, this, &MainWindow::show_effects);
  connect(&document_, &Document::failed, this, &MainWindow::complain);
  connect(&autosave_, &Autosave::failed, this, &MainWindow::complain);
  connect(tabs_, &QTabWidget::currentChanged, this, [this] {
    show_command();
    remember_view();
  });
  show_theme();
  show_title();
  show_command();
  show_page(QString::fromStdString(document_.session().view.page));
  restoreState(QByteArray::fromBase64(QByteArray::fromStdString(document_.session().view.state)));
}

Page* MainWindow::page(const QString& name) const {
  for (Page* each : pages_)
    if (each->name() == name) return each;
  return nullptr;
}

void MainWindow::show_page(const QString& name) {
  if (Page* found = page(name)) tabs_->setCurrentWidget(found);
}

void MainWindow::add_docks() {
  auto& changes = owned<QDockWidget>("What each change did", this);
  changes.setObjectName("changes");
  effects_ = &owned<QListWidget>(&changes);
  effects_->setAccessibleName("What each change did to the step");
  changes.setWidget(effects_);
  addDockWidget(Qt::BottomDockWidgetArea, &changes);
  auto& command = owned<QDockWidget>("The same on a command line", this);
  command.setObjectName("command");
  auto& box = owned<QWidget>(&command);
  auto& column = owned<QVBoxLayout>(&box);
  command_ = &owned<QLineEdit>(&box);
  command_->setReadOnly(true);
  command_->setAccessibleName("The quintet command that does the same");
  auto& copy = owned<QPushButton>("Copy", &box);
  connect(&copy, &QPushButton::clicked, this,
          [this] { QApplication::clipboard()->setText(command_->text()); });
  column.addWidget(command_);
  column.addWidget(&copy, 0, Qt::AlignLeft);
  column.addStretch();
  command.setWidget(&box);
  addDockWidget(Qt::BottomDockWidgetArea, &command);
  resizeDocks({&changes, &command}, {96, 96}, Qt::Vertical);
  resizeDocks({&changes, &command}, {700, 900}, Qt::Horizontal);
}

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
}

void MainWindow::add_help_menu() {
  QMenu& menu = *menuBar()->addMenu("&Help");
  add_action(menu, "Commands...", QKeySequence("Ctrl+Shift+P"), [this] { show_palette(); });
  add_action(menu, "Keys", QKeySequence("F1"),
             [this] { QMessageBox::information(this, "Keys", keys_html(actions_of_all())); });
}

std::vector<QAction*> MainWindow::actions_of_all() const {
  return actions_;
}

void MainWindow::show_palette() {
  CommandPalette palette(actions_of_all(), this);
  palette.exec();
}

void MainWindow::show_theme() {
  const Theme& theme = document_.theme();
  QApplication::setPalette(palette_of(theme));
  for (QWidget* each : findChildren<QWidget*>()) each->update();
}

void MainWindow::show_title() {
  const QString name = file_.isEmpty() ? QString("not saved yet") : file_.section('/', -1);
  setWindowTitle(QString("%1%2 - Quintet").arg(name, document_.saved() ? "" : " *"));
}

void MainWindow::show_effects() {
  effects_->clear();
  for (const Effect& effect : document_.effects()) effects_->addItem(effect_text(effect));
  effects_->scrollToBottom();
}

void MainWindow::show_command() {
  const auto* page = qobject_cast<const Page*>(tabs_->currentWidget());
  const QString own = page == nullptr ? QString() : page->command();
  command_->setText(own.isEmpty() ? QString::fromStdString(command_text(document_.scenario()))
                                  : own);
  command_->setCursorPosition(0);
  command_->setToolTip(command_->text());
}

void MainWindow::ask_open() {
  const QString file = QFileDialog::getOpenFileName(
      this, "Open a session, plan, topology, cost table, model or trace", {},
      "JSON and traces (*.json *.json.gz *.json.zst);;All files (*)");
  if (!file.isEmpty()) open_file(file);
}

bool MainWindow::open_file(const QString& file) {
  const Result<OpenedKind> kind = kind_of_file(file.toStdString());
  if (!kind) {
    complain(QString::fromStdString(kind.error().text()));
    return false;
  }
  Scenario next = document_.scenario();
  const std::string name = file.toStdString();
  switch (*kind) {
    case OpenedKind::session: {
      const Result<Session> session = read_session(name);
      if (!session) {
        complain(QString::fromStdString(session.error().text()));
        return false;
      }
      if (!ask_save()) return false;
      file_ = file;
      document_.open(*session);
      show_page(QString::fromStdString(session->view.page));
      return true;
    }
    case OpenedKind::trace:
      document_.load_recording(file);
      show_page("timeline");
      return true;
    case OpenedKind::plan:
      next.plan = name;
      break;
    case OpenedKind::topology:
      next.topology = name;
      next.hosts.reset();
      break;
    case OpenedKind::costs:
      next.costs = name;
      break;
    case OpenedKind::model:
      next.model = name;
      break;
  }
  document_.edit("Open " + file.section('/', -1), next);
  return true;
}

bool MainWindow::save_as(const QString& file) {
  const QString name = file.endsWith(".json") ? file : file + session_ending;
  remember_view();
  if (const auto error = write_session(name.toStdString(), document_.session())) {
    complain(QString::fromStdString(error->text()));
    return false;
  }
  file_ = name;
  document_.set_saved();
  show_title();
  statusBar()->showMessage("Saved " + name, 5000);
  return true;
}

// Whether what is open may go.
bool MainWindow::ask_save() {
  if (document_.saved()) return true;
  const auto answer = QMessageBox::question(
      this, "Unsaved changes", "Save what is open?",
      QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, QMessageBox::Save);
  if (answer == QMessageBox::Cancel) return false;
  if (answer == QMessageBox::Discard) return true;
  if (!file_.isEmpty()) return save_as(file_);
  const QString file = QFileDialog::getSaveFileName(this, "Save session", file_,
                                                    QString("Sessions (*%1)").arg(session_ending));
  return !file.isEmpty() && save_as(file);
}

void MainWindow::ask_export(bool whole_page) {
  auto* page = qobject_cast<Page*>(tabs_->currentWidget());
  if (page == nullptr) return;
  if (whole_page) {
    const QString folder = QFileDialog::getExistingDirectory(this, "Export all of this page into");
    if (folder.isEmpty()) return;
    const auto files = export_page(*page, {folder.toStdString()});
    if (!files) return complain(QString::fromStdString(files.error().text()));
    statusBar()->showMessage(QString("Wrote %1 files into %2").arg(files->size()).arg(folder),
                             5000);
    return;
  }
  const std::vector<Exported> all = page->exports();
  QStringList titles;
  for (const Exported& each : all) titles << each.title;
  bool chosen = !titles.isEmpty();
  const QString title =
      titles.size() < 2 ? titles.value(0)
                        : QInputDialog::getItem(this, "Export", "What?", titles, 0, false, &chosen);
  if (!chosen) return;
  const Exported& what = all[static_cast<std::size_t>(titles.indexOf(title))];
  const QString file = QFileDialog::getSaveFileName(
      this, "Export " + title, page->name() + "-" + what.name + (what.paint ? ".png" : ".csv"),
      "Pictures and tables (*.png *.svg *.csv)");
  if (file.isEmpty()) return;
  if (const auto error = export_file(what, file.toStdString(), {1600, 900}))
    return complain(QString::fromStdString(error->text()));
  statusBar()->showMessage("Wrote " + file, 5000);
}

void MainWindow::keep_scenario() {
  bool chosen = false;
  const QString name =
      QInputDialog::getText(this, "Keep", "What is it called, beside others?", QLineEdit::Normal,
                            QString::fromStdString(difference_text(document_.scenario())), &chosen);
  if (chosen && !name.isEmpty()) document_.keep(name);
}

void MainWindow::complain(const QString& text) {
  statusBar()->showMessage(text, 20000);
}

void MainWindow::remember_view() {
  View view = document_.session().view;
  if (const auto* page = qobject_cast<const Page*>(tabs_->currentWidget()))
    view.page = page->name().toStdString();
  view.state = saveState().toBase64().toStdString();
  document_.set_view(view);
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (ask_save())
    event->accept();
  else
    event->ignore();
}

}  // namespace quintet::gui
