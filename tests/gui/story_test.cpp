// A what-if told in ten clicks, as gui/what-if.md tells it: four NICs a host instead of eight, a
// spine of 2:1, a slow link; which axis pays; what the first plan took; which oversubscription is
// worth its money; the picture and the command to take along. Its pictures are left in the folder
// of work.
#include <QAbstractItemModel>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLineEdit>
#include <QProcess>
#include <QPushButton>
#include <QSlider>
#include <QSpinBox>
#include <QTabWidget>
#include <QtTest>

#include "gui/export/export.h"
#include "gui/pages/compare/compare_page.h"
#include "gui/pages/sweep/sweep_page.h"
#include "gui/pages/topology/topology_page.h"
#include "gui/window/main_window.h"
#include "tests/gui/support/window_world.h"

namespace quintet::gui {

class StoryTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase();
  void click_1_the_example_is_predicted();
  void click_2_the_first_plan_is_kept();
  void click_3_four_nics_a_host();
  void click_4_a_spine_of_two_to_one();
  void click_5_one_link_is_slow();
  void click_6_the_axis_that_pays();
  void click_7_against_the_first_plan();
  void click_8_the_oversubscription_is_swept();
  void click_9_the_best_point_is_opened();
  void click_10_picture_and_command_are_taken_along();

 private:
  template <class Child>
  Child& child(const char* name) {
    Child* found = window_->findChild<Child*>(name);
    if (found == nullptr) qFatal("there is no %s", name);
    return *found;
  }
  bool rests() {
    return QTest::qWaitFor(
        [&] {
          bool busy = document_->worker().busy();
          for (const Kept& each : document_->kept()) busy = busy || each.outcome == nullptr;
          for (const Page* page : window_->pages()) busy = busy || page->busy();
          return !busy;
        },
        60000);
  }
  void picture(const QString& name) {
    QTest::qWait(80);
    window_->grab().save("story/" + name + ".png");
  }
  // Into a field of the topology page, as a person would.
  void type(const char* field, const QString& value) {
    window_->page("topology")->findChild<QTabWidget*>()->setCurrentIndex(1);  // Fabric
    auto& edit = child<QLineEdit>(field);
    QVERIFY(QTest::qWaitFor([&] { return !edit.text().isEmpty(); }, 5000));
    edit.setFocus();
    edit.selectAll();
    QTest::keyClicks(&edit, value);
    QTest::keyClick(&edit, Qt::Key_Return);
  }
  // A machine is built before it is taken.
  bool has(const char* field, const char* value) {
    return QTest::qWaitFor([&] { return setting(document_->scenario(), field) == value; }, 10000) &&
           rests();
  }
  double step_ms() const { return document_->outcome()->prediction().summary.step.value * 1e3; }

  std::unique_ptr<Document> document_;
  std::unique_ptr<MainWindow> window_;
  double first_ms_ = 0;
};

void StoryTest::initTestCase() {
  QDir().mkpath("story");
}

void StoryTest::click_1_the_example_is_predicted() {
  document_ = std::make_unique<Document>();
  window_ = std::make_unique<MainWindow>(*document_, "autosaves");
  window_->resize(1280, 720);
  window_->show();
  QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
  document_->predict();
  QVERIFY(rests());
  first_ms_ = step_ms();
  picture("1-example");
}

void StoryTest::click_2_the_first_plan_is_kept() {
  static_cast<ComparePage*>(window_->page("compare"))->keep("first");
  QVERIFY(rests());
  QCOMPARE(document_->kept().size(), std::size_t{1});
}

void StoryTest::click_3_four_nics_a_host() {
  window_->show_page("topology");
  type("topology.nics", "4");
  QVERIFY(has("topology.nics", "4"));
  QCOMPARE(setting(document_->scenario(), "topology.nics"), std::optional<std::string>("4"));
  // Half the NICs of the data axis: it takes longer than with eight.
  QVERIFY(step_ms() > first_ms_);
  picture("3-four-nics");
}

void StoryTest::click_4_a_spine_of_two_to_one() {
  type("topology.oversubscription", "2");
  QVERIFY(has("topology.oversubscription", "2"));
  QCOMPARE(setting(document_->scenario(), "topology.oversubscription"),
           std::optional<std::string>("2"));
}

void StoryTest::click_5_one_link_is_slow() {
  const double before = step_ms();
  document_->choose_part("leaf0-spine1");
  QVERIFY(QTest::qWaitFor([&] { return child<QSlider>("rate-left").isEnabled(); }, 5000));
  child<QSlider>("rate-left").setValue(25);
  QVERIFY(rests());
  QCOMPARE(fault_of(document_->scenario(), "leaf0-spine1").share, std::optional<double>(0.25));
  QVERIFY(step_ms() >= before);
  picture("5-slow-link");
}

void StoryTest::click_6_the_axis_that_pays() {
  // Exposed communication of the data axis is what grew most among the axes.
  const RankBreakdown& now = document_->outcome()->prediction().mean;
  const RankBreakdown& then = document_->kept().front().outcome->prediction().mean;
  std::size_t most = 0;
  for (std::size_t axis = 0; axis < axis_count; ++axis)
    if (now.exposed[axis] - then.exposed[axis] > now.exposed[most] - then.exposed[most])
      most = axis;
  QCOMPARE(static_cast<Axis>(most), Axis::data);
}

void StoryTest::click_7_against_the_first_plan() {
  window_->show_page("compare");
  auto& base = child<QComboBox>("compare-base");
  const int first = base.findText("first", Qt::MatchContains);
  QVERIFY(first >= 0);
  base.setCurrentIndex(first);
  QVERIFY(rests());
  // The page says how much longer it takes than the first plan, as the figures above it do.
  const QString table = QString::fromStdString([&] {
    std::string all;
    for (const Exported& each : window_->page("compare")->exports())
      if (each.table != nullptr) all += csv_text(*each.table);
    return all;
  }());
  for (const char* page : {"plan", "timeline", "calibration"}) {
    window_->show_page(page);
    QVERIFY(rests());
    picture(QString("7-") + page);
  }
  window_->show_page("compare");
  const QString longer = QString("%1").arg((step_ms() / first_ms_ - 1) * 100, 0, 'f', 1);
  QVERIFY2(table.contains(longer + " %"), qPrintable(longer + " is not in\n" + table));
  picture("7-compare");
}

void StoryTest::click_8_the_oversubscription_is_swept() {
  window_->show_page("sweep");
  auto& page = *static_cast<SweepPage*>(window_->page("sweep"));
  page.set_fields({{SweptKind::field, "topology.oversubscription", {"1", "2", "4"}}});
  QTest::mouseClick(&child<QPushButton>("sweep-run"), Qt::LeftButton);
  QVERIFY(rests());
  QCOMPARE(page.sweep().come().size(), std::size_t{3});
  picture("8-sweep");
}

void StoryTest::click_9_the_best_point_is_opened() {
  auto& page = *static_cast<SweepPage*>(window_->page("sweep"));
  const double before = step_ms();
  page.open_case(0);
  QVERIFY(rests());
  QCOMPARE(setting(document_->scenario(), "topology.oversubscription").value_or("1"),
           std::string("1"));
  QVERIFY(step_ms() <= before);
}

void StoryTest::click_10_picture_and_command_are_taken_along() {
  const auto files = export_page(*window_->page("topology"), {"story/taken"});
  QVERIFY2(files.has_value(), files ? "" : files.error().text().c_str());
  QVERIFY(!files->empty());
  window_->show_page("topology");
  const QString command = child<QLineEdit>("command-text").text();
  // The command gives the window's number: its first word is the program.
  QStringList words = QProcess::splitCommand(command);
  words.removeFirst();
  const QString json = printed_by(QUINTET_PROGRAM, words << "--json"
                                                         << "-q");
  const QJsonObject printed = QJsonDocument::fromJson(json.toUtf8()).object();
  QCOMPARE(static_cast<std::int64_t>(printed["breakdown"][0]["step"].toDouble()),
           document_->outcome()->prediction().mean.step.picoseconds);
}

}  // namespace quintet::gui

QTEST_MAIN(quintet::gui::StoryTest)
#include "story_test.moc"
