// Edits, undo and predictions, without a window.
#include "gui/document/document.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSignalSpy>
#include <QtTest>

#include "gui/scenario/scenario_command.h"
#include "gui/scenario/session_file.h"
#include "tests/gui/support/window_world.h"

namespace quintet::gui {

Session small_session() {
  Session session;
  session.scenario = small_scenario();
  return session;
}

class DocumentTest : public QObject {
  Q_OBJECT

 private slots:
  void predicts_what_the_command_prints();
  void an_edit_is_predicted_and_undone();
  void edits_of_one_drag_are_undone_together();
  void what_is_kept_is_predicted_and_stays_beside_the_new();
  void a_newer_edit_replaces_a_prediction_that_runs();
  void what_is_wrong_is_said_with_its_place();
  void a_session_reads_back_equal();
};

void DocumentTest::predicts_what_the_command_prints() {
  Document document(small_session());
  document.edit("Slow", with_fault(document.scenario(), "host0/nic0", {0.5, {}, false}));
  document.predict();
  QVERIFY(settled(document));
  QStringList words;
  for (const std::string& word : command_words(document.scenario()))
    words << QString::fromStdString(word);
  const QString json = printed_by(QUINTET_PROGRAM, words.mid(1) << "--json"
                                                                << "-q");
  const QJsonObject printed = QJsonDocument::fromJson(json.toUtf8()).object();
  const QJsonArray steps = printed["breakdown"].toArray();
  QCOMPARE(steps.size(), 1);
  // Picoseconds, so that equal is equal.
  QCOMPARE(static_cast<std::int64_t>(steps[0].toObject()["step"].toDouble()),
           document.outcome()->prediction().mean.step.picoseconds);
}

void DocumentTest::an_edit_is_predicted_and_undone() {
  Document document(small_session());
  document.predict();
  QVERIFY(settled(document));
  const Seconds before = document.outcome()->prediction().summary.step;
  document.edit("Eight micro-batches",
                with_setting(document.scenario(), "parallelism.micro_batches", "8"));
  QVERIFY(settled(document));
  QVERIFY(document.outcome()->prediction().summary.step != before);
  QCOMPARE(document.earlier()->prediction().summary.step, before);
  QCOMPARE(document.effects().size(), std::size_t{1});
  QCOMPARE(*document.effects().front().before, before);
  document.undo_stack().undo();
  QVERIFY(settled(document));
  QCOMPARE(document.scenario(), small_scenario());
  QCOMPARE(document.outcome()->prediction().summary.step, before);
}

void DocumentTest::edits_of_one_drag_are_undone_together() {
  Document document(small_session());
  constexpr int drag = 7;
  for (const char* share : {"0.9", "0.8", "0.7"})
    document.edit("Slow", with_setting(document.scenario(), "host_net.delegates", share), drag);
  QCOMPARE(document.undo_stack().count(), 1);
  document.undo_stack().undo();
  QCOMPARE(document.scenario(), small_scenario());
}

void DocumentTest::what_is_kept_is_predicted_and_stays_beside_the_new() {
  Document document(small_session());
  document.predict();
  QVERIFY(settled(document));
  document.keep("first");
  const Seconds first = document.outcome()->prediction().summary.step;
  document.edit("Warm-up", with_setting(document.scenario(), "parallelism.micro_batches", "4"));
  QVERIFY(settled(document));
  QCOMPARE(document.kept().size(), std::size_t{1});
  QCOMPARE(document.kept().front().outcome->prediction().summary.step, first);
  document.undo_stack().undo();
  document.undo_stack().undo();
  QVERIFY(document.kept().empty());
}

void DocumentTest::a_newer_edit_replaces_a_prediction_that_runs() {
  Document document(small_session());
  document.predict();
  document.edit("Four", with_setting(document.scenario(), "parallelism.micro_batches", "4"));
  document.edit("Two", with_setting(document.scenario(), "parallelism.micro_batches", "2"));
  QVERIFY(settled(document));
  QVERIFY(!document.outdated());
}

void DocumentTest::what_is_wrong_is_said_with_its_place() {
  Document document(small_session());
  QSignalSpy failures(&document, &Document::failed);
  document.edit("Typo", with_setting(document.scenario(), "parallelism.tensr", "2"));
  QVERIFY(settled(document));
  QCOMPARE(failures.count(), 1);
  QVERIFY2(failures[0][0].toString().contains("tensr"), qPrintable(failures[0][0].toString()));
  QVERIFY(document.outdated());
}

void DocumentTest::a_session_reads_back_equal() {
  Session session = small_session();
  session.scenario = with_setting(session.scenario, "topology.nics", "4");
  session.scenario = with_fault(session.scenario, "leaf0", {{}, {}, true});
  session.scenario.hosts = 4;
  session.kept = {{"first", small_scenario()}};
  const Result<Session> read = parse_session(session_text(session), "session.json");
  QVERIFY2(read.has_value(), read ? "" : read.error().text().c_str());
  QCOMPARE(*read, session);
}

}  // namespace quintet::gui

QTEST_GUILESS_MAIN(quintet::gui::DocumentTest)
#include "document_test.moc"
