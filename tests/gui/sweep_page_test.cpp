// The sweep page as a person uses it: by mouse and keys.
#include "gui/pages/sweep/sweep_page.h"

#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QtTest>

#include "tests/gui/support/legibility.h"
#include "tests/gui/support/window_world.h"

namespace quintet::gui {

struct ShownSweep {
  ShownSweep() : document(session()), page(document, nullptr) {
    page.resize(1200, 600);
    page.show();
    document.predict();
    ready = settled(document) && QTest::qWaitFor([this] { return !page.busy(); }, 20000);
  }
  static Session session() {
    Session small;
    small.scenario = small_scenario();
    return small;
  }
  QLineEdit& line(const QString& name) {
    for (QLineEdit* each : page.findChildren<QLineEdit*>())
      if (each->accessibleName() == name) return *each;
    for (QComboBox* each : page.findChildren<QComboBox*>())
      if (each->accessibleName() == name) return *each->lineEdit();
    qFatal("no line %s", qPrintable(name));
  }
  void type(const QString& name, const QString& text) {
    line(name).setFocus();
    line(name).selectAll();
    QTest::keyClick(&line(name), Qt::Key_Delete);
    QTest::keyClicks(&line(name), text);
  }
  bool done() {
    return QTest::qWaitFor([this] { return !page.busy(); }, 20000);
  }
  PlotView& picture() { return *page.findChild<PlotView*>("sweep-picture"); }
  QString state() { return page.findChild<QLabel*>("sweep-state")->text(); }

  Document document;
  SweepPage page;
  bool ready = false;
};

class SweepPageTest : public QObject {
  Q_OBJECT

 private slots:
  void what_is_typed_is_swept();
  void a_click_opens_a_point_and_undo_closes_it();
  void arrows_and_enter_open_a_point();
  void every_drawing_has_its_points();
  void wrong_values_are_said();
  void cancel_keeps_what_has_come();
  void every_drawing_can_be_read();
};

void sweep(ShownSweep& shown) {
  shown.type("Vary: field", "parallelism.micro_batches");
  shown.type("Vary: values", "2..8 times 2");
  shown.type("And (may be empty): field", "");
  shown.type("And (may be empty): values", "");
  QTest::mouseClick(shown.page.findChild<QPushButton*>("sweep-run"), Qt::LeftButton);
}

void SweepPageTest::what_is_typed_is_swept() {
  ShownSweep shown;
  QVERIFY(shown.ready);
  sweep(shown);
  QVERIFY(shown.done());
  QCOMPARE(shown.page.sweep().done(), std::size_t{3});
  QVERIFY2(shown.page.command().endsWith("--set parallelism.micro_batches=2,4,8"),
           qPrintable(shown.page.command()));
  QVERIFY2(shown.state().startsWith("3 of 3"), qPrintable(shown.state()));
  const std::vector<Exported> exports = shown.page.exports();
  QCOMPARE(exports.front().table->rowCount(), 3);
}

void SweepPageTest::a_click_opens_a_point_and_undo_closes_it() {
  ShownSweep shown;
  sweep(shown);
  QVERIFY(shown.done());
  const Mark third = shown.picture().marks()[2];
  QTest::mouseClick(&shown.picture(), Qt::LeftButton, {}, third.area.center().toPoint());
  QCOMPARE(setting(shown.document.scenario(), "parallelism.micro_batches"),
           std::optional<std::string>("8"));
  QCOMPARE(shown.document.undo_stack().undoText(), QString("Open micro_batches 8"));
  QVERIFY(settled(shown.document));
  // The window's own prediction of it is the sweep's.
  QCOMPARE(shown.document.outcome()->prediction().summary.step,
           shown.page.sweep().points()[2]->answer->summary.step);
  shown.document.undo_stack().undo();
  QCOMPARE(shown.document.scenario(), small_scenario());
}

void SweepPageTest::arrows_and_enter_open_a_point() {
  ShownSweep shown;
  sweep(shown);
  QVERIFY(shown.done());
  shown.picture().setFocus();
  shown.picture().choose(0);
  QTest::keyClick(&shown.picture(), Qt::Key_Right);
  QCOMPARE(shown.picture().chosen(), std::optional<int>(1));
  QVERIFY(shown.picture().accessibleDescription().contains("micro_batches 4"));
  QTest::keyClick(&shown.picture(), Qt::Key_Return);
  QCOMPARE(setting(shown.document.scenario(), "parallelism.micro_batches"),
           std::optional<std::string>("4"));
}

void SweepPageTest::every_drawing_has_its_points() {
  ShownSweep shown;
  shown.type("Vary: field", "parallelism.micro_batches");
  shown.type("Vary: values", "4,8");
  shown.type("And (may be empty): field", "parallelism.schedule");
  shown.type("And (may be empty): values", "1f1b,gpipe");
  QTest::keyClick(&shown.line("And (may be empty): values"), Qt::Key_Return);
  QVERIFY(shown.done());
  auto& view = *shown.page.findChild<QComboBox*>("sweep-view");
  view.setCurrentIndex(1);
  QCOMPARE(shown.picture().marks().size(), std::size_t{4});
  view.setCurrentIndex(2);
  QVERIFY(shown.page.findChild<QComboBox*>("sweep-second")->isVisible());
  QCOMPARE(shown.picture().marks().size(), std::size_t{4});
  for (QAction* action : shown.page.own_actions())
    if (action->text() == "Table of the sweep") action->trigger();
  QVERIFY(shown.page.findChild<QTableView*>("sweep-table")->isVisible());
}

void SweepPageTest::wrong_values_are_said() {
  ShownSweep shown;
  sweep(shown);
  QVERIFY(shown.done());
  shown.type("Vary: values", "4..1");
  QTest::keyClick(&shown.line("Vary: values"), Qt::Key_Return);
  QVERIFY2(shown.state().startsWith("Wrong: parallelism.micro_batches"), qPrintable(shown.state()));
  QCOMPARE(shown.page.sweep().done(), std::size_t{3});  // what was swept stays
}

void SweepPageTest::cancel_keeps_what_has_come() {
  ShownSweep shown;
  shown.document.edit("Example", first_scenario());
  QVERIFY(settled(shown.document));
  shown.type("Vary: field", "parallelism.micro_batches");
  shown.type("Vary: values", "1..200");
  shown.type("And (may be empty): field", "");
  QTest::keyClick(&shown.line("Vary: values"), Qt::Key_Return);
  QVERIFY(shown.page.busy());
  QVERIFY(QTest::qWaitFor([&] { return shown.page.sweep().done() > 0; }, 30000));
  QTest::mouseClick(shown.page.findChild<QPushButton*>("sweep-cancel"), Qt::LeftButton);
  QVERIFY(!shown.page.busy());
  QVERIFY(shown.page.sweep().done() > 0);
  QVERIFY(shown.page.sweep().done() < 200);
}

// Pictures of the example's sweep are left for people to look at.
void SweepPageTest::every_drawing_can_be_read() {
  QDir().mkpath("screenshots");
  ShownSweep shown;
  shown.document.edit("Example", first_scenario());
  QVERIFY(settled(shown.document));
  shown.page.set_fields(
      {{SweptKind::field, "topology.nics", {"1", "2", "4", "8"}},
       {SweptKind::field, "parallelism.recompute", {"none", "selective", "full"}}});
  shown.page.run();
  QVERIFY(shown.done());
  const std::vector<std::pair<Appearance, QSize>> ways{{Appearance::light, {1264, 480}},
                                                       {Appearance::dark, {1584, 660}},
                                                       {Appearance::high_contrast, {1264, 480}}};
  for (const auto& [appearance, size] : ways) {
    shown.document.set_appearance(appearance);
    QApplication::setPalette(palette_of(theme_of(appearance)));
    shown.page.resize(size);
    for (int view = 0; view < 3; ++view) {
      shown.page.findChild<QComboBox*>("sweep-view")->setCurrentIndex(view);
      QTest::qWait(20);
      shown.page.grab().save(QString("screenshots/sweep-%1-%2.png")
                                 .arg(view)
                                 .arg(QString::fromUtf8(name_of(appearance).data())));
      const QStringList wrong = unreadable(shown.page);
      QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join("\n")));
    }
  }
}

}  // namespace quintet::gui

QTEST_MAIN(quintet::gui::SweepPageTest)
#include "sweep_page_test.moc"
