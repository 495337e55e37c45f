// Every page at two sizes and in three appearances can be read; pictures of them are left in the
// folder of work for people to look at.
#include <QDir>
#include <QLabel>
#include <QtTest>

#include "gui/window/main_window.h"
#include "tests/gui/support/legibility.h"
#include "tests/gui/support/window_world.h"

namespace quintet::gui {

class LegibilityTest : public QObject {
  Q_OBJECT

 private slots:
  void every_page_can_be_read_data();
  void every_page_can_be_read();
  void text_without_room_is_found();
};

void LegibilityTest::every_page_can_be_read_data() {
  QTest::addColumn<QSize>("size");
  QTest::addColumn<QString>("appearance");
  for (const QSize size : {QSize(1600, 900), QSize(1280, 720)})
    for (const char* appearance : {"light", "dark", "high-contrast"})
      QTest::addRow("%dx%d %s", size.width(), size.height(), appearance) << size << appearance;
}

void LegibilityTest::every_page_can_be_read() {
  QFETCH(QSize, size);
  QFETCH(QString, appearance);
  QDir().mkpath("screenshots");
  Session session;
  session.view.appearance = appearance.toStdString();
  Document document(session);
  MainWindow window(document, "autosaves");
  window.resize(size);
  window.show();
  document.predict();
  QVERIFY(settled(document));
  document.keep("first");
  document.edit("Fail leaf0", with_fault(document.scenario(), "leaf0", {{}, {}, true}));
  QVERIFY(settled(document));
  QStringList wrong;
  for (const Page* page : window.pages()) {
    window.show_page(page->name());
    QTest::qWait(50);
    window.grab().save(QString("screenshots/%1-%2x%3-%4.png")
                           .arg(page->name())
                           .arg(size.width())
                           .arg(size.height())
                           .arg(appearance));
    for (const QString& finding : unreadable(window)) wrong << page->name() + ": " + finding;
  }
  QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join("\n")));
}

void LegibilityTest::text_without_room_is_found() {
  QWidget window;
  window.resize(300, 100);
  QLabel label("a long sentence that needs more room than it has", &window);
  label.setGeometry(0, 0, 40, 20);
  window.show();
  QCOMPARE(unreadable(window).size(), 1);
}

}  // namespace quintet::gui

QTEST_MAIN(quintet::gui::LegibilityTest)
#include "legibility_test.moc"
