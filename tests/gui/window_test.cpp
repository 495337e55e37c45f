// The window used as a person would: menus, palette, files, undo, export, keyboard alone.
#include "gui/window/main_window.h"

#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QLineEdit>
#include <QListWidget>
#include <QMenuBar>
#include <QStatusBar>
#include <QTemporaryDir>
#include <QTimer>
#include <QtTest>

#include "gui/export/export.h"
#include "gui/scenario/scenario_command.h"
#include "gui/scenario/session_file.h"
#include "gui/window/command_palette.h"
#include "tests/gui/support/window_world.h"

namespace quintet::gui {

class WindowTest : public QObject {
  Q_OBJECT

 private slots:
  void init();
  void cleanup();
  void every_action_is_in_a_menu_with_words();
  void no_two_actions_share_keys();
  void the_palette_finds_and_does();
  void the_palette_is_worked_by_keys_alone();
  void what_is_saved_is_opened_again();
  void files_are_opened_as_what_they_are();
  void what_cannot_be_opened_is_said_and_changes_nothing();
  void undo_and_redo_are_actions_with_words();
  void pages_and_appearances_are_chosen_by_keys();
  void the_command_is_shown_and_copied();
  void each_page_exports();
  void every_widget_that_takes_the_focus_has_a_name();
  void tab_goes_round_the_page();

 private:
  QAction* action(const QString& words) const;
  QString file(const QString& name) const { return folder_->filePath(name); }

  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<Document> document_;
  std::unique_ptr<MainWindow> window_;
};

void WindowTest::init() {
  folder_ = std::make_unique<QTemporaryDir>();
  Session session;
  session.scenario = small_scenario();
  document_ = std::make_unique<Document>(session);
  window_ = std::make_unique<MainWindow>(*document_, file("autosaves").toStdString());
  window_->resize(1280, 720);
  window_->show();
  QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
  window_->activateWindow();
  document_->predict();
  QVERIFY(settled(*document_));
}

void WindowTest::cleanup() {
  window_.reset();
  document_.reset();
}

QString plain(QString words) {
  return words.remove('&');
}

QAction* WindowTest::action(const QString& words) const {
  for (QAction* each : window_->actions_of_all())
    if (plain(each->text()).startsWith(words)) return each;
  qWarning("no action is called %s", qPrintable(words));
  return nullptr;
}

void WindowTest::every_action_is_in_a_menu_with_words() {
  QList<QAction*> in_menus;
  for (const QAction* menu : window_->menuBar()->actions()) {
    QVERIFY(menu->menu() != nullptr);
    in_menus += menu->menu()->actions();
  }
  QVERIFY(in_menus.size() > 15);
  for (QAction* each : window_->actions_of_all()) {
    QVERIFY2(!each->text().isEmpty(), "an action without words");
    QVERIFY2(in_menus.contains(each), qPrintable(each->text()));
  }
}

// Keys of two pages may be the same: each holds where its page is.
void WindowTest::no_two_actions_share_keys() {
  QStringList taken;
  for (const QAction* each : window_->actions_of_all())
    if (each->shortcutContext() == Qt::WindowShortcut)
      for (const QKeySequence& keys : each->shortcuts()) {
        QVERIFY2(!taken.contains(keys.toString()), qPrintable(each->text() + keys.toString()));
        taken << keys.toString();
      }
}

// Does it once the dialog is open, which blocks meanwhile.
template <class Act>
void in_dialog(Act act) {
  QTimer::singleShot(50, [act] {
    auto* palette = qobject_cast<CommandPalette*>(QApplication::activeModalWidget());
    if (palette == nullptr) qFatal("no palette is open");
    act(*palette);
  });
}

void WindowTest::the_palette_finds_and_does() {
  QStringList found;
  in_dialog([&found](CommandPalette& palette) {
    QTest::keyClicks(palette.findChild<QLineEdit*>(), "DARK");
    const auto* list = palette.findChild<QListWidget*>();
    for (int row = 0; row < list->count(); ++row) found << list->item(row)->text();
    QTest::keyClick(palette.findChild<QLineEdit*>(), Qt::Key_Return);
  });
  window_->show_palette();
  QCOMPARE(found, QStringList{"Dark"});
  QVERIFY(document_->theme().appearance == Appearance::dark);
}

void WindowTest::the_palette_is_worked_by_keys_alone() {
  QString second;
  in_dialog([&second](CommandPalette& palette) {
    const auto* list = palette.findChild<QListWidget*>();
    second = list->item(1)->text();
    QTest::keyClick(palette.findChild<QLineEdit*>(), Qt::Key_Down);
    if (list->currentItem()->text() != second) second = "not reached";
    QTest::keyClick(&palette, Qt::Key_Escape);
  });
  QTest::keyClick(window_.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
  QVERIFY2(!second.isEmpty() && second != "not reached", qPrintable(second));
}

void WindowTest::what_is_saved_is_opened_again() {
  document_->edit("Eight", with_setting(small_scenario(), "parallelism.micro_batches", "8"));
  document_->keep("eight");
  QVERIFY(window_->windowTitle().contains('*'));
  QVERIFY(window_->save_as(file("mine")));
  QVERIFY(!window_->windowTitle().contains('*'));
  const QString saved = file(QString("mine") + session_ending);
  QVERIFY(QFile::exists(saved));
  const Session before = document_->session();
  document_->undo_stack().undo();
  document_->undo_stack().undo();
  QCOMPARE(document_->scenario(), small_scenario());
  document_->set_saved();  // nobody asks whether that may go
  QVERIFY(window_->open_file(saved));
  QCOMPARE(document_->scenario(), before.scenario);
  QCOMPARE(document_->session().kept, before.kept);
  QVERIFY(document_->saved());
}

void WindowTest::files_are_opened_as_what_they_are() {
  const QString root = QUINTET_SOURCE_DIR "/";
  QVERIFY(window_->open_file(root + "traces/costs/toy-pipeline.json"));
  QCOMPARE(document_->scenario().costs, (root + "traces/costs/toy-pipeline.json").toStdString());
  QVERIFY(window_->open_file(root + "traces/plans/toy-pipeline-warm-up.json"));
  QCOMPARE(document_->scenario().plan,
           (root + "traces/plans/toy-pipeline-warm-up.json").toStdString());
  QVERIFY(window_->open_file(root + "topologies/pipeline-4-10ms.json"));
  QVERIFY(window_->open_file(root + "traces/models/toy-pipeline/config.json"));
  QCOMPARE(document_->undo_stack().count(), 4);
  QVERIFY(settled(*document_));
  QVERIFY(!document_->outdated());
}

void WindowTest::what_cannot_be_opened_is_said_and_changes_nothing() {
  QFile strange(file("strange.json")), half(file("half.json"));
  QVERIFY(strange.open(QIODevice::WriteOnly) && half.open(QIODevice::WriteOnly));
  strange.write("{\"a\": 1}");
  half.write("{\"quintet_session\": 1, \"scenario\": {\"model\": \"gp");
  strange.close();
  half.close();
  const Session before = document_->session();
  for (const QString& name : {file("nothing.json"), strange.fileName(), half.fileName()}) {
    QVERIFY(!window_->open_file(name));
    QVERIFY2(window_->statusBar()->currentMessage().contains(name),
             qPrintable(window_->statusBar()->currentMessage()));
  }
  QCOMPARE(document_->scenario(), before.scenario);
}

void WindowTest::undo_and_redo_are_actions_with_words() {
  document_->edit("Fail a NIC", with_fault(small_scenario(), "host1/nic0", {{}, {}, true}));
  QCOMPARE(plain(action("Undo")->text()), QString("Undo Fail a NIC"));
  QTest::keyClick(window_.get(), Qt::Key_Z, Qt::ControlModifier);
  QCOMPARE(document_->scenario(), small_scenario());
  QTest::keyClick(window_.get(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
  QVERIFY(document_->scenario() != small_scenario());
  action("Restore all parts")->trigger();
  QCOMPARE(document_->scenario(), small_scenario());
  QVERIFY(settled(*document_));
}

void WindowTest::pages_and_appearances_are_chosen_by_keys() {
  for (std::size_t i = 0; i < window_->pages().size(); ++i) {
    QTest::keyClick(window_.get(), static_cast<Qt::Key>(Qt::Key_1 + static_cast<int>(i)),
                    Qt::ControlModifier);
    QVERIFY2(window_->pages()[i]->isVisible(), qPrintable(window_->pages()[i]->title()));
  }
  for (const auto& [words, appearance] :
       {std::pair{"Dark", Appearance::dark}, std::pair{"High contrast", Appearance::high_contrast},
        std::pair{"Light", Appearance::light}}) {
    action(words)->trigger();
    QVERIFY(document_->theme().appearance == appearance);
    QCOMPARE(QApplication::palette().color(QPalette::Base), theme_of(appearance).paper);
  }
}

void WindowTest::the_command_is_shown_and_copied() {
  document_->edit("Slow", with_fault(small_scenario(), "host1/nic0", {0.5, {}, false}));
  action("Copy the command")->trigger();
  const QString copied = QApplication::clipboard()->text();
  QCOMPARE(copied, QString::fromStdString(command_text(document_->scenario())));
  QVERIFY(copied.contains("--slow host1/nic0=0.5"));
}

void WindowTest::each_page_exports() {
  QVERIFY(QTest::qWaitFor(
      [this] {
        for (const Page* page : window_->pages())
          if (page->busy()) return false;
        return true;
      },
      20000));
  for (Page* page : window_->pages()) {
    const auto files = export_page(*page, {folder_->path().toStdString()});
    QVERIFY2(files.has_value(), files ? "" : files.error().text().c_str());
    QVERIFY2(!files->empty(), qPrintable(page->title()));
    for (const auto& each : *files) {
      QVERIFY2(std::filesystem::file_size(each) > 0, each.c_str());
      QVERIFY(each.filename().string().starts_with(page->name().toStdString() + "-"));
    }
  }
  // A file that cannot be written is said.
  QVERIFY(!export_page(*window_->pages().front(), {"/proc/pictures"}));
}

// What a screen reader says of it: a name of its own, or the words on it.
QString name_of(const QWidget& widget) {
  const QAccessibleInterface* accessible =
      QAccessible::queryAccessibleInterface(const_cast<QWidget*>(&widget));
  return accessible == nullptr ? widget.accessibleName() : accessible->text(QAccessible::Name);
}

void WindowTest::every_widget_that_takes_the_focus_has_a_name() {
  for (Page* page : window_->pages()) {
    window_->show_page(page->name());
    for (const QWidget* each : window_->findChildren<QWidget*>()) {
      const bool takes = (each->focusPolicy() & Qt::TabFocus) != 0 && each->isVisible();
      const bool inside = each->objectName().startsWith("qt_") || each->focusProxy() != nullptr;
      if (!takes || inside) continue;
      QVERIFY2(!name_of(*each).isEmpty(),
               qPrintable(QString("%1: a %2 without a name in %3")
                              .arg(page->title(), each->metaObject()->className(),
                                   each->parentWidget()->metaObject()->className())));
    }
  }
}

// Each press goes to another widget until the first one is reached again: nothing keeps the focus.
void WindowTest::tab_goes_round_the_page() {
  for (Page* page : window_->pages()) {
    window_->show_page(page->name());
    QWidget* first = page->nextInFocusChain();
    while (!first->isVisible() || (first->focusPolicy() & Qt::TabFocus) == 0)
      first = first->nextInFocusChain();
    first->setFocus(Qt::TabFocusReason);
    int presses = 0;
    QWidget* now = QApplication::focusWidget();
    const QWidget* start = now;
    QVERIFY(start != nullptr);
    do {
      const QWidget* before = now;
      QTest::keyClick(now, Qt::Key_Tab);
      now = QApplication::focusWidget();
      QVERIFY2(now != nullptr && now != before,
               qPrintable(page->title() + ": the focus stays in " +
                          before->metaObject()->className() + " " + before->accessibleName()));
    } while (now != start && ++presses < 300);
    QVERIFY2(presses < 300, qPrintable(page->title()));
  }
}

}  // namespace quintet::gui

QTEST_MAIN(quintet::gui::WindowTest)
#include "window_test.moc"
