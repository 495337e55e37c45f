// Session files: what is wrong with one is said with file and place; nothing half-written is taken
// for a whole one.
#include <QtTest>

#include "gui/scenario/session_file.h"
#include "tests/gui/support/window_world.h"

namespace quintet::gui {

class SessionsTest : public QObject {
  Q_OBJECT

 private slots:
  void every_truncation_is_refused_with_the_file();
  void no_changed_letter_crashes();
  void what_is_wrong_is_named_data();
  void what_is_wrong_is_named();
  void a_file_that_is_not_there_is_named();
};

Session full_session() {
  Session session;
  session.scenario = with_setting(small_scenario(), "topology.nics", "4");
  session.scenario = with_fault(session.scenario, "leaf0", {{}, {}, true});
  session.scenario = with_fault(session.scenario, "host0/nic1", {0.5, "5us", false});
  session.scenario.hosts = 4;
  session.kept = {{"first", small_scenario()}, {"second, \"quoted\"", session.scenario}};
  session.recording = "step.json";
  session.view = {"plan", "dark", "AAAA"};
  return session;
}

void SessionsTest::every_truncation_is_refused_with_the_file() {
  const std::string whole = session_text(full_session());
  // The last character is the newline behind the closing brace.
  for (std::size_t size = 0; size + 1 < whole.size(); ++size) {
    const Result<Session> read = parse_session(whole.substr(0, size), "mine.json");
    QVERIFY2(!read, qPrintable(QString("%1 characters were taken for a session").arg(size)));
    QVERIFY2(read.error().where.starts_with("mine.json"), read.error().text().c_str());
    QVERIFY(!read.error().what.empty());
  }
  QCOMPARE(*parse_session(whole.substr(0, whole.size() - 1), "mine.json"), full_session());
}

// Whatever is read is a session that can be written and read again.
void SessionsTest::no_changed_letter_crashes() {
  const std::string whole = session_text(full_session());
  for (std::size_t place = 0; place < whole.size(); ++place)
    for (const char letter : {'"', '{', '9', '\\', '\xff', '-'}) {
      std::string changed = whole;
      changed[place] = letter;
      const Result<Session> read = parse_session(changed, "mine.json");
      if (!read) {
        QVERIFY2(read.error().where.starts_with("mine.json"), read.error().text().c_str());
        continue;
      }
      const Result<Session> again = parse_session(session_text(*read), "again.json");
      QVERIFY2(again.has_value(), again ? "" : again.error().text().c_str());
    }
}

void SessionsTest::what_is_wrong_is_named_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("place");
  QTest::addColumn<QString>("accepted");
  const QString scenario =
      R"("scenario": {"model": "gpt2", "topology": "dgx-h100-1", "plan": "p.json"%1})";
  const auto with = [&](const char* more) {
    return "{\"quintet_session\": 1, " + scenario.arg(QString(", ") + more) + "}";
  };
  QTest::newRow("another format") << "{\"quintet_session\": 2, " + scenario.arg("") + "}"
                                  << "quintet_session"
                                  << "1";
  QTest::newRow("no scenario") << "{\"quintet_session\": 1}"
                               << "scenario"
                               << "scenario";
  QTest::newRow("no object") << "[1, 2]"
                             << "mine.json"
                             << "object";
  QTest::newRow("a misspelt field") << with(R"("topolgy": "x")") << "topolgy"
                                    << "topology";
  QTest::newRow("too few hosts") << with(R"("hosts": 0)") << "scenario.hosts"
                                 << "1 to";
  QTest::newRow("a number for text") << with(R"("costs": 5)") << "scenario.costs"
                                     << "text";
  QTest::newRow("a setting without a value")
      << with(R"("set": [{"field": "topology.nics"}])") << "scenario.set[0]"
      << "value";
}

void SessionsTest::what_is_wrong_is_named() {
  QFETCH(QString, text);
  QFETCH(QString, place);
  QFETCH(QString, accepted);
  const Result<Session> read = parse_session(text.toStdString(), "mine.json");
  QVERIFY(!read);
  const QString said = QString::fromStdString(read.error().text());
  QVERIFY2(said.startsWith("mine.json"), qPrintable(said));
  QVERIFY2(said.contains(place), qPrintable(said));
  QVERIFY2(said.contains(accepted), qPrintable(said));
}

void SessionsTest::a_file_that_is_not_there_is_named() {
  const Result<Session> read = read_session("/nowhere/mine.quintet-session.json");
  QVERIFY(!read);
  QVERIFY2(read.error().text().find("/nowhere/mine") != std::string::npos,
           read.error().text().c_str());
}

}  // namespace quintet::gui

QTEST_GUILESS_MAIN(quintet::gui::SessionsTest)
#include "sessions_test.moc"
