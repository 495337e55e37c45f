// Nothing that is open is lost when the process is killed.
#include "gui/window/autosave.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include "gui/command/qt_messages.h"
#include "gui/scenario/session_file.h"
#include "tests/gui/support/window_world.h"

namespace quintet::gui {

namespace fs = std::filesystem;

// What the killed process had open.
Scenario edited_scenario() {
  Scenario scenario = with_setting(small_scenario(), "parallelism.micro_batches", "8");
  return with_fault(scenario, "host1/nic0", {0.5, "5us", false});
}

// The part of the process that is killed: edits, says that it has, and waits for its end.
void edit_and_wait(const fs::path& folder) {
  Session session;
  session.scenario = small_scenario();
  Document document(session);
  document.set_automatic(Automatic::never);
  Autosave autosave(document, folder);
  document.edit("Eight micro-batches, a slow NIC", edited_scenario());
  document.keep("eight");
  std::puts("edited");
  std::fflush(stdout);
  for (;;) QTest::qSleep(1000);
}

class AutosaveTest : public QObject {
  Q_OBJECT

 private slots:
  void init() { folder_ = std::make_unique<QTemporaryDir>(); }
  void a_killed_process_leaves_what_it_had_open();
  void what_is_saved_or_closed_leaves_nothing();
  void half_written_and_strange_files_stay_where_they_are();
  void what_a_living_process_has_open_is_its_own();
  void only_what_nobody_needs_to_know_is_kept_off_the_standard_error();

 private:
  fs::path folder() const { return folder_->path().toStdString(); }
  void write(const QString& name, const std::string& text) const;

  std::unique_ptr<QTemporaryDir> folder_;
};

void AutosaveTest::write(const QString& name, const std::string& text) const {
  QFile file(folder_->filePath(name));
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write(text.data(), static_cast<qint64>(text.size()));
}

void AutosaveTest::a_killed_process_leaves_what_it_had_open() {
  QProcess process;
  process.start(QCoreApplication::applicationFilePath(), {"--edit-and-wait", folder_->path()});
  QVERIFY(process.waitForReadyRead(20000));
  QCOMPARE(process.readAllStandardOutput().trimmed(), QByteArray("edited"));
  QVERIFY(!left_session(folder()));  // it lives
  process.kill();                    // SIGKILL: nothing of it runs any more
  QVERIFY(process.waitForFinished(20000));
  const auto left = left_session(folder());
  QVERIFY(left);
  QCOMPARE(left->session.scenario, edited_scenario());
  QCOMPARE(left->session.kept.size(), std::size_t{1});
  QCOMPARE(left->session.kept.front(), (KeptScenario{"eight", edited_scenario()}));
}

void AutosaveTest::what_is_saved_or_closed_leaves_nothing() {
  Session session;
  session.scenario = small_scenario();
  {
    Document document(session);
    document.set_automatic(Automatic::never);
    Autosave autosave(document, folder());
    document.edit("Edit", edited_scenario());
    QVERIFY(fs::exists(autosave.file()));
    document.undo_stack().undo();  // as it was opened: nothing to lose
    QVERIFY(!fs::exists(autosave.file()));
    document.undo_stack().redo();
    QVERIFY(fs::exists(autosave.file()));
  }
  QVERIFY(fs::is_empty(folder()));
}

// 999999 and above are no processes of Linux (pid_max is 4194304 at most; these are beyond it).
void AutosaveTest::half_written_and_strange_files_stay_where_they_are() {
  Session session;
  session.scenario = edited_scenario();
  const std::string whole = session_text(session);
  write("autosave-4194305.json", whole.substr(0, whole.size() / 2));
  write("autosave-4194306.json", "");
  write("autosave-4194307.json", "{\"quintet_session\": 2}");
  write("autosave-not-a-number.json", whole);
  write("autosave-4194308.json.part", whole);
  write("notes.txt", "mine");
  QVERIFY(!left_session(folder()));
  QCOMPARE(QDir(folder_->path()).entryList(QDir::Files).size(), 6);
  write("autosave-4194309.json", whole);
  const auto left = left_session(folder());
  QVERIFY(left);
  QCOMPARE(left->file.filename().string(), std::string("autosave-4194309.json"));
  QCOMPARE(left->session, session);
}

void AutosaveTest::what_a_living_process_has_open_is_its_own() {
  Session session;
  session.scenario = edited_scenario();
  write(QString("autosave-%1.json").arg(QCoreApplication::applicationPid()), session_text(session));
  QVERIFY(!left_session(folder()));
}

void AutosaveTest::only_what_nobody_needs_to_know_is_kept_off_the_standard_error() {
  QVERIFY(is_noise("This plugin does not support propagateSizeHints()"));
  QVERIFY(is_noise("QStandardPaths: XDG_RUNTIME_DIR not set, defaulting to '/tmp/runtime-root'"));
  QVERIFY(!is_noise("QPainter::begin: Paint device returned engine == 0, type: 2"));
  QVERIFY(!is_noise("QStandardPaths: wrong permissions on runtime directory /run/user/1"));
}

}  // namespace quintet::gui

int main(int count, char** words) {
  QCoreApplication application(count, words);
  if (count == 3 && QString(words[1]) == "--edit-and-wait") quintet::gui::edit_and_wait(words[2]);
  quintet::gui::AutosaveTest test;
  return QTest::qExec(&test, count, words);
}

#include "autosave_test.moc"
