// What the window opens, saves and exports.

#include <QFileDialog>
#include <QInputDialog>
#include <QMessageBox>
#include <QStatusBar>

#include "gui/export/export.h"
#include "gui/scenario/input_files.h"
#include "gui/scenario/session_file.h"
#include "gui/window/main_window.h"
#include "gui/window/opened_file.h"

namespace quintet::gui {

namespace {

// A file that its reader refuses is not taken.
Result<Scenario> with_file(const Scenario& scenario, OpenedKind kind, const std::string& file) {
  switch (kind) {
    case OpenedKind::plan:
      return with_input(scenario, InputKind::plan, file);
    case OpenedKind::topology:
      return with_input(scenario, InputKind::topology, file);
    case OpenedKind::costs:
      return with_input(scenario, InputKind::costs, file);
    case OpenedKind::model:
      return with_input(scenario, InputKind::model, file);
    case OpenedKind::session:
    case OpenedKind::trace:
      return scenario;
  }
  return scenario;
}

}  // namespace

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
  if (*kind == OpenedKind::session) return open_session(file);
  if (*kind == OpenedKind::trace) {
    document_.load_recording(file);
    show_page("timeline");
    return true;
  }
  const Result<Scenario> next = with_file(document_.scenario(), *kind, file.toStdString());
  if (!next) {
    complain(QString::fromStdString(next.error().text()));
    return false;
  }
  document_.edit("Open " + file.section('/', -1), *next);
  return true;
}

bool MainWindow::open_session(const QString& file) {
  const Result<Session> session = read_session(file.toStdString());
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

}  // namespace quintet::gui
