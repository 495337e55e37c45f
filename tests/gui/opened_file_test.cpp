// What a file is that somebody opens.
#include "gui/window/opened_file.h"

#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include <fstream>

#include "gui/scenario/session_file.h"
#include "sim/usage/shipped.h"

namespace quintet::gui {

namespace fs = std::filesystem;

class OpenedFileTest : public QObject {
  Q_OBJECT

 private slots:
  void every_shipped_file_is_known_for_what_it_is();
  void a_session_is_known_though_it_names_plans_and_machines();
  void what_is_nothing_of_ours_is_said_so();
};

void OpenedFileTest::every_shipped_file_is_known_for_what_it_is() {
  const std::vector<std::pair<FileKind, OpenedKind>> kinds{
      {FileKind::plan, OpenedKind::plan},
      {FileKind::topology, OpenedKind::topology},
      {FileKind::costs, OpenedKind::costs},
      {FileKind::model, OpenedKind::model}};
  for (const auto& [kind, opened] : kinds)
    for (const std::string& name : shipped_names(kind)) {
      const Result<fs::path> file = find_shipped(kind, name);
      QVERIFY(file.has_value());
      const Result<OpenedKind> found = kind_of_file(*file);
      QVERIFY2(found.has_value(), name.c_str());
      QVERIFY2(*found == opened, (name + " is taken for something else").c_str());
    }
}

void OpenedFileTest::a_session_is_known_though_it_names_plans_and_machines() {
  const QTemporaryDir folder;
  const fs::path file = fs::path(folder.path().toStdString()) / "s.json";
  QVERIFY(!write_session(file, Session{}));
  QVERIFY(*kind_of_file(file) == OpenedKind::session);
}

void OpenedFileTest::what_is_nothing_of_ours_is_said_so() {
  const QTemporaryDir folder;
  const fs::path file = fs::path(folder.path().toStdString()) / "letter.txt";
  std::ofstream(file) << "Dear Sir or Madam";
  const Result<OpenedKind> found = kind_of_file(file);
  QVERIFY(!found);
  QCOMPARE(found.error().where, file.string());
  QVERIFY(!kind_of_file(fs::path("/nowhere/at.all")));
}

}  // namespace quintet::gui

QTEST_GUILESS_MAIN(quintet::gui::OpenedFileTest)
#include "opened_file_test.moc"
