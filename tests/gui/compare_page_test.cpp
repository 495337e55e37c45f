// The compare page as a person uses it, and its numbers beside the command's.
#include "gui/pages/compare/compare_page.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QListWidget>
#include <QTemporaryDir>
#include <QTextBrowser>
#include <QtTest>
#include <cmath>
#include <set>

#include "gui/scenario/scenario_command.h"
#include "tests/gui/support/legibility.h"
#include "tests/gui/support/window_world.h"

namespace quintet::gui {

// The small scenario kept as "first", and now one of its NICs late.
struct ShownComparison {
  ShownComparison() : document(session()), page(document, nullptr) {
    page.resize(1300, 620);
    page.show();
    document.predict();
    ready = settled(document);
    page.keep("first");
    document.edit("Delay", with_fault(document.scenario(), "host1/nic0", {{}, "30ms", false}));
    ready = ready && settled(document);
  }
  static Session session() {
    Session small;
    small.scenario = small_scenario();
    return small;
  }
  bool done() {
    return QTest::qWaitFor([this] { return !page.busy(); }, 20000);
  }
  const QAbstractItemModel& table(const QString& name) {
    for (const Exported& each : page.exports())
      if (each.name == name) return *each.table;
    qFatal("no table %s", qPrintable(name));
  }
  static QStringList row(const QAbstractItemModel& table, const QString& name) {
    for (int row = 0; row < table.rowCount(); ++row) {
      QStringList cells;
      for (int column = 0; column < table.columnCount(); ++column)
        cells << table.index(row, column).data().toString().trimmed();
      if (cells.front() == name) return cells.mid(1);
    }
    return {};
  }

  Document document;
  ComparePage page;
  bool ready = false;
};

class ComparePageTest : public QObject {
  Q_OBJECT

 private slots:
  void bars_sum_to_the_step();
  void parts_are_those_that_the_command_prints();
  void differences_are_those_of_compare();
  void two_programs_are_told_apart();
  void keep_rename_forget_and_open_are_undone();
  void what_is_left_out_is_not_drawn();
  void timelines_share_the_documents_range();
  void a_recording_is_a_column();
  void every_table_can_be_read();
};

void ComparePageTest::bars_sum_to_the_step() {
  ShownComparison shown;
  QVERIFY(shown.ready);
  const auto columns = compare_columns(shown.document, std::nullopt);
  // now, the one before, the one that was kept
  QCOMPARE(columns.size(), std::size_t{3});
  const PartsPlot plot = parts_plot(columns, 2);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    double sum = 0.0;
    for (const double part : plot.bars[i].parts) sum += part;
    QVERIFY(std::abs(sum - seconds(columns[i].mean->step).value * 1e3) < 1e-9);
  }
  QVERIFY(plot.bars[2].marked);
}

void ComparePageTest::parts_are_those_that_the_command_prints() {
  // Two plans of one model: a column each and their difference.
  Document document(ShownComparison::session());
  ComparePage page(document, nullptr);
  document.predict();
  QVERIFY(settled(document));
  page.keep("first");
  Scenario other = document.scenario();
  other.plan = "toy-pipeline-warm-up";
  document.edit("Warm-up", other);
  QVERIFY(settled(document));
  QStringList words{"simulate", "toy-pipeline-1f1b", "toy-pipeline-warm-up"};
  for (const std::string& word : command_words(other))
    if (word != "quintet" && word != "simulate" && word != "toy-pipeline-warm-up")
      words << QString::fromStdString(word);
  const QStringList lines = printed_by(QUINTET_PROGRAM, words << "-q").simplified().isEmpty()
                                ? QStringList()
                                : printed_by(QUINTET_PROGRAM, words).split('\n');
  Columns columns;  // without the one before, which is the kept one
  for (const CompareColumn& each : compare_columns(document, std::nullopt))
    if (each.kind != ColumnKind::before) columns.push_back(each);
  std::reverse(columns.begin(), columns.end());
  const TableRows table = parts_table(columns, 0);
  QVERIFY(table.rows.size() > 4);
  for (const TableRow& row : table.rows) {
    const QString wanted = (row.cells.join(' ')).simplified();
    bool found = false;
    for (const QString& line : lines) found = found || line.simplified() == wanted;
    QVERIFY2(found, qPrintable(wanted + "\nis not in\n" + lines.join('\n')));
  }
}

// {"name", "predicted", "measured"} of each part, in picoseconds.
void same_parts(const std::vector<DifferencePart>& parts, const QJsonArray& printed) {
  QCOMPARE(static_cast<qsizetype>(parts.size()), printed.size());
  for (qsizetype i = 0; i < printed.size(); ++i) {
    const QJsonObject each = printed[i].toObject();
    const DifferencePart& part = parts[static_cast<std::size_t>(i)];
    QCOMPARE(each["name"].toString().toStdString(), part.name);
    QCOMPARE(static_cast<std::int64_t>(each["predicted"].toDouble()),
             part.time.predicted.picoseconds);
    QCOMPARE(static_cast<std::int64_t>(each["measured"].toDouble()),
             part.time.measured.picoseconds);
  }
}

void ComparePageTest::differences_are_those_of_compare() {
  ShownComparison shown;
  QTemporaryDir folder;
  const auto trace = [&](const Scenario& scenario, const QString& name) {
    QStringList words;
    for (const std::string& word : command_words(scenario)) words << QString::fromStdString(word);
    const QString file = folder.filePath(name);
    printed_by(QUINTET_PROGRAM, words.mid(1) << "-q"
                                             << "--trace" << file);
    return file;
  };
  const QString base = trace(small_scenario(), "base.json");
  const QString slowed = trace(shown.document.scenario(), "slowed.json");
  const QJsonObject printed =
      QJsonDocument::fromJson(
          printed_by(QUINTET_PROGRAM, {"compare", base, slowed, "--json"}).toUtf8())
          .object();
  const auto parts = step_parts(shown.document.kept().front().outcome->prediction().timeline,
                                shown.document.outcome()->prediction().timeline);
  QVERIFY(parts.has_value() && parts->difference.has_value());
  same_parts(parts->stack, printed["stack"].toArray());
  same_parts(parts->layers, printed["layers"].toArray());
  same_parts(parts->axes, printed["axes"].toArray());
  QCOMPARE(static_cast<qsizetype>(parts->difference->causes.size()),
           printed["causes"].toArray().size());
  // What the page says is the first cause's sentence.
  shown.page.show_difference_by(DifferenceBy::cause);
  QVERIFY(shown.done());
  const QString said = shown.page.findChild<QTextBrowser*>("compare-words")->toPlainText();
  const QString cause = printed["causes"].toArray()[0].toObject()["text"].toString();
  QVERIFY2(said.contains(cause), qPrintable(said + "\n" + cause));
  QVERIFY(shown.table("difference").rowCount() > 1);
}

void ComparePageTest::two_programs_are_told_apart() {
  ShownComparison shown;
  // B and W are two instructions then, where there was one.
  shown.document.edit(
      "Split", with_setting(shown.document.scenario(), "parallelism.split_backward", "true"));
  QVERIFY(settled(shown.document));
  QVERIFY2(shown.document.outcome()->predicted(), "the plan fits");
  shown.page.show_difference_by(DifferenceBy::layer);
  QVERIFY(shown.done());
  QVERIFY(!ShownComparison::row(shown.table("difference"), "step").isEmpty());
  const QString said = shown.page.findChild<QTextBrowser*>("compare-words")->toPlainText();
  QVERIFY2(said.startsWith("Causes are told of two runs of one program"), qPrintable(said));
}

void ComparePageTest::keep_rename_forget_and_open_are_undone() {
  ShownComparison shown;
  const Scenario slowed = shown.document.scenario();
  auto& list = *shown.page.findChild<QListWidget*>("compare-list");
  list.setFocus();
  QTest::keyClick(&list, Qt::Key_End);  // what was kept stands last
  QCOMPARE(shown.page.choice().current(), QString("kept:first"));
  shown.page.rename_current("as built");
  QCOMPARE(shown.document.kept().front().what.name, std::string("as built"));
  QCOMPARE(shown.document.undo_stack().undoText(), QString("Rename first to as built"));
  shown.page.choice().set_current("kept:as built");
  QTest::mouseClick(shown.page.findChild<QPushButton*>("compare-open"), Qt::LeftButton);
  QCOMPARE(shown.document.scenario(), small_scenario());
  QVERIFY(settled(shown.document));
  shown.document.undo_stack().undo();
  QCOMPARE(shown.document.scenario(), slowed);
  shown.page.choice().set_current("kept:as built");
  QTest::mouseClick(shown.page.findChild<QPushButton*>("compare-forget"), Qt::LeftButton);
  QVERIFY(shown.document.kept().empty());
  shown.document.undo_stack().undo();
  QCOMPARE(shown.document.kept().size(), std::size_t{1});
}

void ComparePageTest::what_is_left_out_is_not_drawn() {
  ShownComparison shown;
  auto& bars = *shown.page.findChild<PlotView*>("compare-bars");
  const auto count = [&] {
    std::set<int> seen;
    for (const Mark& mark : bars.marks()) seen.insert(mark.id / 100);
    return seen.size();
  };
  QCOMPARE(count(), std::size_t{3});
  auto& list = *shown.page.findChild<QListWidget*>("compare-list");
  list.setFocus();
  list.setCurrentRow(1);
  QTest::keyClick(&list, Qt::Key_Space);
  QCOMPARE(count(), std::size_t{2});
}

void ComparePageTest::timelines_share_the_documents_range() {
  ShownComparison shown;
  auto& strips = *shown.page.findChild<StripsView*>("compare-strips");
  QCOMPARE(strips.strips().strips.size(), std::size_t{3});
  const Instant whole = strips.strips().to;
  strips.setFocus();
  QTest::keyClick(&strips, Qt::Key_W);
  QVERIFY(shown.document.range().has_value());
  QCOMPARE(strips.strips().from, shown.document.range()->from);
  shown.document.choose_range(TimeRange{Instant{0}, Instant{whole.picoseconds / 4}});
  QCOMPARE(strips.strips().to, (Instant{whole.picoseconds / 4}));
  QTest::mousePress(&strips, Qt::LeftButton, {}, QPoint(strips.width() / 4, 60));
  QTest::mouseMove(&strips, QPoint(strips.width() / 2, 60));
  QTest::mouseRelease(&strips, Qt::LeftButton, {}, QPoint(strips.width() / 2, 60));
  QVERIFY(shown.document.range()->from > Instant{});
  QTest::keyClick(&strips, Qt::Key_Escape);
  QVERIFY(!shown.document.range().has_value());
}

void ComparePageTest::a_recording_is_a_column() {
  ShownComparison shown;
  QTemporaryDir folder;
  QStringList words;
  for (const std::string& word : command_words(small_scenario()))
    words << QString::fromStdString(word);
  const QString file = folder.filePath("recorded.json");
  printed_by(QUINTET_PROGRAM, words.mid(1) << "-q"
                                           << "--trace" << file);
  shown.document.load_recording(file);
  QVERIFY(settled(shown.document));
  QVERIFY(shown.done());
  const QStringList steps = ShownComparison::row(shown.table("figures"), "step");
  // now, before, first, recording: the recording is of what was kept
  QCOMPARE(steps.size(), 4);
  QCOMPARE(steps[3], steps[2]);
}

// Pictures of the example's comparison are left for people to look at.
void ComparePageTest::every_table_can_be_read() {
  QDir().mkpath("screenshots");
  Session session;
  session.scenario = with_fault(first_scenario(), "leaf0", {0.25, {}, false});
  session.kept = {
      {"as built", first_scenario()},
      {"full recomputation", with_setting(first_scenario(), "parallelism.recompute", "full")}};
  Document document(session);
  ComparePage page(document, nullptr);
  page.show();
  document.predict();
  QVERIFY(settled(document));
  for (const QSize size : {QSize(1264, 480), QSize(1584, 660)}) {
    page.resize(size);
    auto& tables = *page.findChild<QTabWidget*>("compare-tables");
    for (int table = 0; table < tables.count(); ++table) {
      tables.setCurrentIndex(table);
      QVERIFY(QTest::qWaitFor([&] { return !page.busy(); }, 20000));
      QTest::qWait(20);
      page.grab().save(QString("screenshots/compare-%1-%2.png").arg(table).arg(size.width()));
      const QStringList wrong = unreadable(page);
      QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join("\n")));
    }
  }
}

}  // namespace quintet::gui

QTEST_MAIN(quintet::gui::ComparePageTest)
#include "compare_page_test.moc"
