// The Timeline page as a person uses it: keys, mouse, recordings.
#include <QDialog>
#include <QDir>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QWheelEvent>
#include <QtTest>

#include "gui/export/export.h"
#include "gui/pages/timeline/timeline_page.h"
#include "sim/timeline/chrome_trace/chrome_trace.h"
#include "tests/gui/support/window_world.h"
#include "tests/support/timelines.h"

namespace quintet::gui {

namespace {

Session small_session() {
  Session session;
  session.scenario = small_scenario();
  return session;
}

// A page with the small pipeline's step.
struct World {
  Document document{small_session()};
  TimelinePage page{document, nullptr};
  TimelineWidget& timeline = page.timeline();

  explicit World(bool predict = true) {
    page.resize(1200, 700);
    page.show();
    if (predict) document.predict();
    ready();
    page.activateWindow();
    (void)QTest::qWaitForWindowActive(&page);
    timeline.setFocus();
  }
  bool ready() {
    return settled(document) && QTest::qWaitFor([this] { return !page.busy(); }, 20000);
  }
  const Scene& scene() const { return *timeline.scene(); }
  const TimeWindow& window() const { return timeline.view().window; }
  TimelineFrame frame() const {
    return {{timeline.width() - timeline.findChild<QScrollBar*>()->width(), timeline.height()},
            timeline.view()};
  }
  // For people to look at.
  void keep_picture(const QString& name) {
    QDir().mkpath("screenshots");
    page.grab().save("screenshots/timeline-" + name + ".png");
  }
  // The middle of a bar, in the widget.
  QPoint at(std::size_t bar) const {
    const TimelineFrame now = frame();
    const PixelScale scale = now.scale(timeline.view());
    const std::size_t place = *place_of_row(timeline.view(), scene().bars.row_of(bar));
    const std::int64_t middle = (scene().bars.start(bar) + scene().bars.end(bar)) / 2;
    return {now.rows.left() + scale.pixel(middle), now.top_of(place, timeline.view()) + 5};
  }
  std::size_t first_bar() const { return scene().bars.row_begin(0); }
};

double length(const TimeWindow& window) {
  return window.to - window.from;
}

// Many spans on eight ranks, as a file of `bytes` or more.
void write_long_trace(const std::filesystem::path& file, int spans) {
  Timeline timeline = small_world(std::int64_t{1} << 50);
  for (int track = 0; track < 8; ++track) {
    add_track(timeline, 0);
    for (int span = 0; span < spans / 8; ++span)
      add_span(timeline, track, On::forward, span * 3'000'000LL, span * 3'000'000LL + 2'000'000)
          .layer = span % 80;
  }
  timeline.end = {(spans / 8) * 3'000'000LL};
  const auto written = write_chrome_trace(file, timeline);
  if (!written) qFatal("%s", written.error().text().c_str());
}

}  // namespace

class TimelinePageTest : public QObject {
  Q_OBJECT

 private slots:
  void shows_the_prediction();
  void zooms_and_moves_by_keys();
  void ctrl_wheel_zooms_at_the_pointer();
  void shift_drag_moves();
  void a_drag_chooses_a_range_that_all_pages_see();
  void clicks_select_and_keys_walk();
  void brackets_walk_messages();
  void marks_and_escape();
  void slash_searches();
  void rows_are_filtered_pinned_and_hidden();
  void a_click_on_the_path_jumps_to_the_bar();
  void keys_are_listed();
  void another_prediction_keeps_the_view();
  void a_recording_is_shown_beside_the_prediction();
  void a_long_recording_can_be_cancelled();
  void what_is_wrong_with_a_recording_is_said();
  void exports_its_pictures_and_tables();
};

void TimelinePageTest::shows_the_prediction() {
  World world;
  const Timeline& timeline = world.document.outcome()->prediction().timeline;
  QCOMPARE(world.scene().bars.bars(), timeline.spans.size() + timeline.host_gaps.size());
  QCOMPARE(length(world.window()), static_cast<double>(timeline.end.picoseconds));
  // The critical path is as long as the step.
  Duration sum;
  for (const PathPiece& piece : world.scene().sources[0].path) sum += piece.to - piece.from;
  QCOMPARE(sum, timeline.end - Instant{});
}

void TimelinePageTest::zooms_and_moves_by_keys() {
  World world;
  const TimeWindow whole = world.window();
  QTest::keyClick(&world.timeline, Qt::Key_W);
  QCOMPARE(length(world.window()), length(whole) * 0.7);
  const TimeWindow near = world.window();
  QTest::keyClick(&world.timeline, Qt::Key_D);
  QCOMPARE(world.window().from, std::min(near.from + 0.2 * length(near), whole.to - length(near)));
  QTest::keyClick(&world.timeline, Qt::Key_A);
  QTest::keyClick(&world.timeline, Qt::Key_Left);
  QVERIFY(world.window().from <= near.from);
  QTest::keyClick(&world.timeline, Qt::Key_S);
  QTest::keyClick(&world.timeline, Qt::Key_Minus);
  QCOMPARE(world.window(), whole);
  QTest::keyClick(&world.timeline, Qt::Key_Plus);
  QVERIFY(length(world.window()) < length(whole));
  QTest::keyClick(&world.timeline, Qt::Key_F);
  QCOMPARE(world.window(), whole);
}

void TimelinePageTest::ctrl_wheel_zooms_at_the_pointer() {
  World world;
  const TimelineFrame frame = world.frame();
  const QPoint at(frame.rows.left() + frame.rows.width() / 4, frame.rows.top() + 5);
  const double before = world.window().from + length(world.window()) / 4;
  QWheelEvent wheel(at, world.timeline.mapToGlobal(at), {}, {0, 120}, Qt::NoButton,
                    Qt::ControlModifier, Qt::NoScrollPhase, false);
  QApplication::sendEvent(&world.timeline, &wheel);
  const double after = world.window().from + length(world.window()) / 4;
  // To half a pixel.
  QVERIFY(std::abs(after - before) < length(world.window()) / frame.rows.width());
  QVERIFY(length(world.window()) < length(world.scene().whole));
}

void TimelinePageTest::shift_drag_moves() {
  World world;
  QTest::keyClick(&world.timeline, Qt::Key_W);
  const TimeWindow before = world.window();
  const TimelineFrame frame = world.frame();
  const QPoint from = frame.rows.center();
  QTest::mousePress(&world.timeline, Qt::LeftButton, Qt::ShiftModifier, from);
  QTest::mouseMove(&world.timeline, from + QPoint(frame.rows.width() / 10, 0));
  QTest::mouseRelease(&world.timeline, Qt::LeftButton, Qt::ShiftModifier,
                      from + QPoint(frame.rows.width() / 10, 0));
  // A tenth of the width to the right: a tenth of the window earlier.
  const double share = static_cast<double>(frame.rows.width() / 10) / frame.rows.width();
  QCOMPARE(world.window().from, before.from - share * length(before));
  QVERIFY(!world.document.range());
}

void TimelinePageTest::a_drag_chooses_a_range_that_all_pages_see() {
  World world;
  const TimelineFrame frame = world.frame();
  const QPoint from(frame.rows.left() + 100, frame.rows.top() + 5);
  QTest::mousePress(&world.timeline, Qt::LeftButton, {}, from);
  QTest::mouseMove(&world.timeline, from + QPoint(200, 0));
  QTest::mouseRelease(&world.timeline, Qt::LeftButton, {}, from + QPoint(200, 0));
  const PixelScale scale = frame.scale(world.timeline.view());
  QVERIFY(world.document.range().has_value());
  QCOMPARE(world.document.range()->from.picoseconds, scale.time(100));
  QCOMPARE(world.document.range()->to.picoseconds, scale.time(300));
  QVERIFY(world.page.tables().range.rowCount() > 0);
  world.keep_picture("range");
  // From elsewhere, as the Topology page does.
  world.document.choose_range(TimeRange{{1000}, {2000}});
  QCOMPARE(*world.timeline.view().range, (TimeWindow{1000, 2000}));
  QTest::keyClick(&world.timeline, Qt::Key_Escape);
  QVERIFY(!world.document.range());
}

void TimelinePageTest::clicks_select_and_keys_walk() {
  World world;
  const std::size_t first = world.first_bar();
  QTest::mouseClick(&world.timeline, Qt::LeftButton, {}, world.at(first));
  QCOMPARE(*world.timeline.view().selected, first);
  QCOMPARE(world.page.tables().facts.index(0, 1).data().toString(), world.scene().name_of(first));
  QTest::keyClick(&world.timeline, Qt::Key_Period);
  QCOMPARE(*world.timeline.view().selected, first + 1);
  QTest::keyClick(&world.timeline, Qt::Key_Comma);
  QTest::keyClick(&world.timeline, Qt::Key_Comma);
  QCOMPARE(*world.timeline.view().selected, first);
  QTest::keyClick(&world.timeline, Qt::Key_R);
  QCOMPARE(world.document.range()->to.picoseconds, world.scene().bars.end(first));
  QTest::keyClick(&world.timeline, Qt::Key_F);
  // It fills most of the picture.
  QVERIFY(
      length(world.window()) <=
      std::max(1.3 * static_cast<double>(world.scene().bars.length(first)), 2 * shortest_window));
}

void TimelinePageTest::brackets_walk_messages() {
  World world;
  const SceneSource& source = world.scene().sources[0];
  QVERIFY(!source.messages.empty());
  const Message& message = source.messages.front();
  world.timeline.select(source.bar_of_span[message.send]);
  QTest::keyClick(&world.timeline, Qt::Key_BracketRight);
  QCOMPARE(*world.timeline.view().selected, std::size_t{source.bar_of_span[message.receive]});
  QTest::keyClick(&world.timeline, Qt::Key_BracketLeft);
  QCOMPARE(*world.timeline.view().selected, std::size_t{source.bar_of_span[message.send]});
}

void TimelinePageTest::marks_and_escape() {
  World world;
  world.timeline.select(world.first_bar() + 1);
  QTest::keyClick(&world.timeline, Qt::Key_M);
  QCOMPARE(world.timeline.view().marks,
           std::vector<std::int64_t>{world.scene().bars.start(world.first_bar() + 1)});
  QTest::keyClick(&world.timeline, Qt::Key_M);
  QVERIFY(world.timeline.view().marks.empty());
  QTest::keyClick(&world.timeline, Qt::Key_Escape);
  QVERIFY(!world.timeline.view().selected);
}

void TimelinePageTest::slash_searches() {
  World world;
  QTest::keyClick(&world.timeline, Qt::Key_Slash);
  QWidget* const field = QApplication::focusWidget();
  QVERIFY(field != nullptr && field != &world.timeline);
  // Letters that are keys of the timeline are letters here.
  QTest::keyClicks(field, "send");
  QTest::keyClick(field, Qt::Key_Return);
  world.keep_picture("search");
  const int found = world.page.tables().matches.rowCount();
  QVERIFY(found > 0);
  const std::size_t first = *world.timeline.view().selected;
  QVERIFY(world.scene().name_of(first).contains("send"));
  QTest::keyClick(field, Qt::Key_Return);
  QVERIFY(found == 1 || *world.timeline.view().selected != first);
  QTest::keyClick(field, Qt::Key_Return, Qt::ShiftModifier);
  QCOMPARE(*world.timeline.view().selected, first);
}

void TimelinePageTest::rows_are_filtered_pinned_and_hidden() {
  World world;
  const std::size_t all = world.timeline.view().others.size();
  world.timeline.select(world.first_bar());
  QTest::keyClick(&world.timeline, Qt::Key_P);
  QCOMPARE(world.timeline.view().pinned, std::vector<std::size_t>{0});
  QCOMPARE(world.timeline.view().others.size(), all - 1);
  auto* const filter = world.page.findChild<QLineEdit*>();
  QTest::keyClicks(filter, "compute");
  for (const std::size_t row : world.timeline.view().others)
    QVERIFY(world.scene().rows[row].lane.contains("compute"));
  QCOMPARE(world.timeline.view().pinned.size(), std::size_t{1});
  filter->clear();
  world.timeline.setFocus();
  QTest::keyClick(&world.timeline, Qt::Key_P);
  QCOMPARE(world.timeline.view().others.size(), all);
  world.timeline.select(world.first_bar());
  QTest::keyClick(&world.timeline, Qt::Key_H);
  QCOMPARE(world.timeline.view().others.size(), all - 1);
  QTest::keyClick(&world.timeline, Qt::Key_H, Qt::ShiftModifier);
  QCOMPARE(world.timeline.view().others.size(), all);
}

void TimelinePageTest::a_click_on_the_path_jumps_to_the_bar() {
  World world;
  world.page.findChild<QTabWidget*>()->setCurrentIndex(2);
  QTableView* pieces = nullptr;
  for (QTableView* view : world.page.findChildren<QTableView*>())
    if (view->accessibleName() == "Pieces of the critical path") pieces = view;
  const SceneSource& source = world.scene().sources[0];
  const std::size_t number = 1;
  const QRect cell = pieces->visualRect(pieces->model()->index(static_cast<int>(number), 1));
  QTest::mouseClick(pieces->viewport(), Qt::LeftButton, {}, cell.center());
  world.keep_picture("path");
  const PathPiece& piece = source.path[number];
  QVERIFY(piece.span >= 0);
  QCOMPARE(*world.timeline.view().selected,
           std::size_t{source.bar_of_span[static_cast<std::size_t>(piece.span)]});
}

void TimelinePageTest::keys_are_listed() {
  World world;
  QTest::keyClick(&world.timeline, Qt::Key_Question, Qt::ShiftModifier);
  auto* const dialog = world.page.findChild<QDialog*>("timeline-keys");
  QVERIFY(dialog != nullptr && dialog->isVisible());
  for (const QAction* action : world.page.own_actions()) {
    QVERIFY(!action->text().isEmpty());
    QVERIFY2(!action->shortcut().isEmpty(), qPrintable(action->text()));
  }
  dialog->close();
}

void TimelinePageTest::another_prediction_keeps_the_view() {
  World world;
  QTest::keyClick(&world.timeline, Qt::Key_W);
  const TimeWindow before = world.window();
  world.document.edit("Slow",
                      with_fault(world.document.scenario(), "host0/nic0", {0.5, {}, false}));
  QVERIFY(world.ready());
  QCOMPARE(world.window(), before);
}

void TimelinePageTest::a_recording_is_shown_beside_the_prediction() {
  World world;
  const QTemporaryDir folder;
  const std::filesystem::path file = folder.path().toStdString() + "/run.json";
  Timeline run = world.document.outcome()->prediction().timeline;
  for (Span& span : run.spans) span.end = span.end + Duration{1000};
  QVERIFY(write_chrome_trace(file, run).has_value());
  const std::size_t rows = world.scene().rows.size();
  world.document.load_recording(QString::fromStdString(file.string()));
  QVERIFY(world.ready());
  QCOMPARE(world.scene().sources.size(), std::size_t{2});
  QVERIFY(world.scene().rows.size() >= 2 * rows);
  QVERIFY(world.scene().rows[1].lane.endsWith(", measured"));
  world.keep_picture("recording");
  QCOMPARE(world.page.tables().range.index(0, 0).data().toString(), "predicted");
  world.document.load_recording("");
  QVERIFY(world.ready());
  QCOMPARE(world.scene().sources.size(), std::size_t{1});
  // Alone.
  World other(false);
  other.document.load_recording(QString::fromStdString(file.string()));
  QVERIFY(other.ready());
  QCOMPARE(other.scene().sources.size(), std::size_t{1});
  QVERIFY(other.scene().sources[0].measured);
}

// Of 50 MB: it tells how far it is, ends when it is told to, and leaves all as it was; the next
// time it is read to its end.
void TimelinePageTest::a_long_recording_can_be_cancelled() {
  World world;
  const QTemporaryDir folder;
  const QString file = folder.path() + "/long.json";
  write_long_trace(file.toStdString(), 400'000);
  QVERIFY2(QFileInfo(file).size() > 50'000'000,
           qPrintable(QString::number(QFileInfo(file).size())));
  QSignalSpy progress(&world.document.reader(), &Worker::progressed);
  world.document.load_recording(file);
  QVERIFY(QTest::qWaitFor([&] { return progress.count() >= 2; }, 20000));
  const double share = progress.last()[0].toDouble();
  QVERIFY2(share > 0 && share < 1, qPrintable(QString::number(share)));
  auto* const cancel = world.page.findChild<QPushButton*>("cancel-reading");
  QVERIFY(cancel->isVisible());
  QTest::mouseClick(cancel, Qt::LeftButton);
  QVERIFY(!world.document.reader().busy());
  QVERIFY(!cancel->isVisible());
  QCOMPARE(world.document.recording(), nullptr);
  world.document.predict();
  QVERIFY(world.ready());
  QTest::keyClick(&world.timeline, Qt::Key_W);
  QVERIFY(length(world.window()) < length(world.scene().whole));
  world.document.load_recording(file);
  QVERIFY(QTest::qWaitFor([&] { return !world.document.reader().busy(); }, 60000));
  QVERIFY(world.ready());
  QCOMPARE(world.document.recording()->spans.size(), std::size_t{400'000});
  QCOMPARE(world.scene().sources.size(), std::size_t{2});
}

void TimelinePageTest::what_is_wrong_with_a_recording_is_said() {
  World world;
  const QTemporaryDir folder;
  const QString file = folder.path() + "/half.json";
  write_long_trace(file.toStdString(), 800);
  QVERIFY(QFile::resize(file, QFileInfo(file).size() / 2));
  QSignalSpy failures(&world.document, &Document::failed);
  world.document.load_recording(file);
  QVERIFY(world.ready());
  QCOMPARE(failures.count(), 1);
  QVERIFY(failures[0][0].toString().contains("half.json"));
  QVERIFY(world.document.recording() == nullptr);
  QVERIFY(world.timeline.scene() != nullptr);
}

void TimelinePageTest::exports_its_pictures_and_tables() {
  World world;
  const QTemporaryDir folder;
  const auto files = export_page(world.page, {folder.path().toStdString()});
  QVERIFY2(files.has_value(), files ? "" : files.error().text().c_str());
  QStringList names;
  for (const auto& file : *files) names << QString::fromStdString(file.filename().string());
  for (const char* name :
       {"timeline-rows.png", "timeline-rows.svg", "timeline-rows.csv", "timeline-critical-path.svg",
        "timeline-critical-path-pieces.csv", "timeline-range.csv", "timeline-pipeline.png"})
    QVERIFY2(names.contains(name), name);
  QFile csv(folder.path() + "/timeline-rows.csv");
  QVERIFY(csv.open(QIODevice::ReadOnly));
  // A header and a line per bar.
  QCOMPARE(csv.readAll().count('\n'), static_cast<qsizetype>(world.scene().bars.bars() + 1));
}

}  // namespace quintet::gui

QTEST_MAIN(quintet::gui::TimelinePageTest)
#include "timeline_page_test.moc"
