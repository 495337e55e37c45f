#include "gui/window/main_window.h"

#include <QApplication>
#include <QClipboard>
#include <QCloseEvent>
#include <QDockWidget>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMessageBox>
#include <QPushButton>
#include <QStatusBar>
#include <QToolBar>
#include <QVBoxLayout>
#include <utility>

#include "gui/pages/all_pages.h"
#include "gui/scenario/scenario_command.h"
#include "gui/widgets/owned.h"
#include "gui/window/command_palette.h"
#include "gui/window/effect_text.h"
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
  add_command_bar();
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
  changes.widget()->setMinimumHeight(60);
  changes.hide();
  resizeDocks({&changes}, {72}, Qt::Vertical);
}

void MainWindow::add_command_bar() {
  auto& bar = owned<QToolBar>("The same on a command line", this);
  bar.setObjectName("command");
  bar.setMovable(false);
  bar.addWidget(&owned<QLabel>(" The same as a command: ", &bar));
  command_ = &owned<QLineEdit>(&bar);
  command_->setObjectName("command-text");
  command_->setReadOnly(true);
  command_->setAccessibleName("The quintet command that does the same");
  bar.addWidget(command_);
  auto& copy = owned<QPushButton>("Copy", &bar);
  copy.setToolTip("Copy the command");
  connect(&copy, &QPushButton::clicked, this,
          [this] { QApplication::clipboard()->setText(command_->text()); });
  bar.addWidget(&copy);
  addToolBar(Qt::BottomToolBarArea, &bar);
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
  // It takes no room until there is something to show.
  if (effects_->count() == 1) findChild<QDockWidget*>("changes")->show();
}

void MainWindow::show_command() {
  const auto* page = qobject_cast<const Page*>(tabs_->currentWidget());
  const QString own = page == nullptr ? QString() : page->command();
  command_->setText(own.isEmpty() ? QString::fromStdString(command_text(document_.scenario()))
                                  : own);
  command_->setCursorPosition(0);
  command_->setToolTip(command_->text());
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
