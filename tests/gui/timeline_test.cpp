// What a timeline is made of, without a window: geometry, bars, rows, search, tables.
#include <QtTest>
#include <random>

#include "gui/models/timeline_tables.h"
#include "gui/timeline/paint_timeline.h"
#include "gui/timeline/scan_painter.h"
#include "gui/timeline/scene_search.h"
#include "sim/explain/range_statistics.h"
#include "tests/support/timelines.h"

namespace quintet::gui {

namespace {

// Bars of `least` to `most` picoseconds, some touching, some with gaps.
BarStore random_bars(std::size_t rows, std::size_t bars, std::int64_t least, std::int64_t most) {
  std::mt19937 random(11);
  BarStore store;
  for (std::size_t row = 0; row < rows; ++row) {
    store.begin_row();
    std::int64_t at = 0;
    for (std::size_t bar = 0; bar < bars; ++bar) {
      at += random() % 3 == 0 ? static_cast<std::int64_t>(random() % 1000) : 0;
      const std::int64_t end =
          at + least +
          static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
      store.add(Instant{at}, Instant{end}, static_cast<std::uint32_t>(bar),
                static_cast<Look>(random() % look_count));
      at = end;
    }
  }
  store.finish();
  return store;
}

QImage empty_image(int width, int height) {
  QImage image(width, height, QImage::Format_RGB32);
  image.fill(Qt::white);
  return image;
}

// Two ranks of a pipeline, with a message from one to the other and a launch gap.
Timeline two_stages() {
  Timeline timeline = small_world(1'000'000);
  const std::int32_t first = add_track(timeline, 0, 4), second = add_track(timeline, 1, 4);
  add_span(timeline, first, On::forward, 0, 400'000).micro_batch = 0;
  add_span(timeline, first, On::send, 400'000, 500'000).flow = 9;
  add_span(timeline, second, On::receive, 0, 400'000, 500'000).flow = 9;
  add_span(timeline, second, On::forward, 500'000, 900'000).micro_batch = 0;
  add_span(timeline, second, On::update, 950'000, 1'000'000);
  timeline.host_gaps.push_back({second, {900'000}, {950'000}});
  return timeline;
}

Scene scene_of(Timeline timeline) {
  return make_scene({std::move(timeline), {}, std::nullopt});
}

}  // namespace

class TimelineTest : public QObject {
  Q_OBJECT

 private slots:
  void zooming_leaves_what_is_under_the_pointer_where_it_is();
  void windows_stay_inside_the_step();
  void the_ruler_has_round_times_with_units();
  void the_longest_bar_is_that_of_a_search_through_all();
  void bars_take_no_more_than_25_bytes();
  void a_near_picture_is_that_of_every_bar();
  void a_far_picture_leaves_no_bar_out();
  void spans_that_overlap_get_rows_of_their_own();
  void a_recording_stands_below_what_predicts_it();
  void rows_are_filtered_by_their_words();
  void search_finds_what_a_search_through_all_finds();
  void what_is_not_understood_is_said();
  void tables_hold_the_simulators_numbers();
  void a_message_leads_to_its_other_end();
};

// 40 % from the left of a window of 1,000: its 400 stays at 40 % of a window of 500 (200 to 700).
void TimelineTest::zooming_leaves_what_is_under_the_pointer_where_it_is() {
  const TimeWindow whole{0, 100'000};
  const TimeWindow near = zoomed({10'000, 20'000}, 0.5, 0.4, whole);
  QCOMPARE(near.from, 12'000.0);
  QCOMPARE(near.to, 17'000.0);
  QCOMPARE(zoomed(near, 2, 0.4, whole), (TimeWindow{10'000, 20'000}));
}

void TimelineTest::windows_stay_inside_the_step() {
  const TimeWindow whole{0, 100'000};
  QCOMPARE(panned({80'000, 100'000}, 0.5, whole), (TimeWindow{80'000, 100'000}));
  QCOMPARE(panned({50'000, 70'000}, -0.5, whole), (TimeWindow{40'000, 60'000}));
  QCOMPARE(zoomed({0, 100'000}, 3, 0.5, whole), whole);
  QCOMPARE(zoomed({0, 2'000}, 0.001, 0, whole), (TimeWindow{0, shortest_window}));
  // What is seen well stays, what is not is brought to the middle; a bar of no length has no zoom.
  QCOMPARE(showing({0, 20'000}, {5'000}, {6'000}, whole), (TimeWindow{0, 20'000}));
  QCOMPARE(showing({0, 20'000}, {50'000}, {50'000}, whole), (TimeWindow{40'000, 60'000}));
  // 30 of 100,000 cannot be seen: 200 times as much is.
  QCOMPARE(showing(whole, {50'000}, {50'030}, whole), (TimeWindow{47'015, 53'015}));
}

// A second on 1,000 pixels, ticks 110 pixels apart at least: a round step is 0.2 s.
void TimelineTest::the_ruler_has_round_times_with_units() {
  QStringList texts;
  for (const RulerTick& tick : ruler_ticks({0, 1e9, 1000}, 110)) texts << tick.text;
  QCOMPARE(texts, (QStringList{"0", "200 ms", "400 ms", "600 ms", "800 ms", "1.0 s"}));
  // Ten microseconds, a second later: their difference must be seen.
  QCOMPARE(ruler_ticks({1e12, 1e4, 1000}, 110).at(1).text, "1.000002 s");
  QCOMPARE(length_text(Duration{12'500'000}), "12.5 us");
}

void TimelineTest::the_longest_bar_is_that_of_a_search_through_all() {
  const BarStore bars = random_bars(3, 700, 1, 50);
  std::mt19937 random(5);
  for (int round = 0; round < 3000; ++round) {
    const std::size_t begin = random() % bars.bars();
    const std::size_t end = begin + 1 + random() % (bars.bars() - begin);
    std::size_t best = begin;
    for (std::size_t bar = begin; bar < end; ++bar)
      if (bars.length(bar) > bars.length(best)) best = bar;
    QCOMPARE(bars.longest(begin, end), best);
  }
}

void TimelineTest::bars_take_no_more_than_25_bytes() {
  BarStore bars;
  bars.reserve(100'000);
  bars.begin_row();
  for (std::int64_t bar = 0; bar < 100'000; ++bar)
    bars.add(Instant{bar}, Instant{bar + 1}, 0, Look::blue);
  bars.finish();
  QVERIFY2(bars.bytes() <= 2'500'000, qPrintable(QString::number(bars.bytes())));
}

// Bars of 3 pixels and more: each is drawn as if there were no merging, to the pixel.
void TimelineTest::a_near_picture_is_that_of_every_bar() {
  const BarStore bars = random_bars(4, 500, 301, 2000);
  const BarTiles tiles(theme_of(Appearance::light));
  for (const double from : {0.0, 1234.5, 77'777.0}) {
    const PixelScale scale{from, 100, 600};
    QImage merged = empty_image(600, 80), naive = empty_image(600, 80);
    for (std::size_t row = 0; row < 4; ++row) {
      ScanPainter(merged, tiles).paint_row(bars, row, scale, 0, static_cast<int>(row) * 20, 17);
      ScanPainter(naive, tiles)
          .paint_row_bar_by_bar(bars, row, scale, 0, static_cast<int>(row) * 20, 17);
    }
    QCOMPARE(merged, naive);
  }
}

// However many bars share a pixel: what is paper in the merged picture is paper in the naive one,
// and pieces count every bar that is seen.
void TimelineTest::a_far_picture_leaves_no_bar_out() {
  const BarStore bars = random_bars(1, 5000, 1, 900);
  const BarTiles tiles(theme_of(Appearance::light));
  for (const double per_pixel : {150.0, 1000.0, 9000.0}) {
    const PixelScale scale{0, per_pixel, 400};
    QImage merged = empty_image(400, 4), naive = empty_image(400, 4);
    ScanPainter(merged, tiles).paint_row(bars, 0, scale, 0, 0, 4);
    ScanPainter(naive, tiles).paint_row_bar_by_bar(bars, 0, scale, 0, 0, 4);
    for (int x = 0; x < 400; ++x)
      if (merged.pixel(x, 0) == qRgb(255, 255, 255))
        QCOMPARE(naive.pixel(x, 0), merged.pixel(x, 0));
    std::size_t counted = 0, seen = 0;
    visit_pieces(bars, 0, scale, [&](const Piece& piece) { counted += piece.count; });
    const double to = per_pixel * 400;
    for (std::size_t bar = 0; bar < bars.bars(); ++bar)
      if (static_cast<double>(bars.start(bar)) < to) ++seen;
    // The last column may reach beyond the picture.
    QVERIFY(counted >= seen && counted <= seen + static_cast<std::size_t>(3 * per_pixel));
  }
}

// Two computations at once on one lane: a second row of it.
void TimelineTest::spans_that_overlap_get_rows_of_their_own() {
  Timeline timeline = small_world(100);
  const std::int32_t track = add_track(timeline, 0);
  add_span(timeline, track, On::forward, 0, 60);
  add_span(timeline, track, On::forward, 40, 100);
  add_span(timeline, track, On::backward, 60, 100);
  const Scene scene = scene_of(timeline);
  QCOMPARE(scene.rows.size(), std::size_t{2});
  QCOMPARE(scene.rows[0].lane, "compute");
  QCOMPARE(scene.rows[1].lane, "compute (2)");
  QCOMPARE(scene.bars.row_end(0), std::size_t{2});
}

// The recording's clock begins 50 later: it is drawn 50 earlier, below the lane of its rank.
void TimelineTest::a_recording_stands_below_what_predicts_it() {
  Timeline predicted = small_world(1000), measured = small_world(1200);
  const std::int32_t zero = add_track(predicted, 0), eight = add_track(predicted, 0);
  add_span(predicted, zero, On::forward, 0, 500);
  add_span(predicted, zero, On::copy, 500, 600);
  add_span(predicted, eight, On::forward, 0, 500);
  const std::int32_t own = add_track(measured, 0);
  measured.tracks[0].rank = Rank{8};
  add_span(measured, own, On::forward, 50, 700);
  const Scene scene = make_scene({predicted, {}, measured});
  QStringList rows;
  for (const SceneRow& row : scene.rows) rows << row.group + " " + row.lane;
  QCOMPARE(rows, (QStringList{"rank 0 compute", "rank 0 copy", "rank 8 compute",
                              "rank 8 compute, measured"}));
  QCOMPARE(scene.bars.start(scene.bars.row_begin(3)), 0);
  QCOMPARE(scene.sources[1].shift, Duration{-50});
  // Alone it is shown as it is.
  const Scene alone = make_scene({std::nullopt, {}, measured});
  QCOMPARE(alone.bars.start(0), 50);
}

void TimelineTest::rows_are_filtered_by_their_words() {
  const Scene scene = scene_of(two_stages());
  // Of two ranks: compute and send; compute, receive and launch gaps.
  QCOMPARE(scene.rows.size(), std::size_t{5});
  QCOMPARE(filtered_rows(scene, "COMPUTE").size(), std::size_t{2});
  QCOMPARE(filtered_rows(scene, "stage 1, compute").size(), std::size_t{1});
  QCOMPARE(filtered_rows(scene, "").size(), std::size_t{5});
}

void TimelineTest::search_finds_what_a_search_through_all_finds() {
  const Timeline timeline = random_timeline(3, {5, 200, 1'000'000});
  const Scene scene = scene_of(timeline);
  const FoundBars found = found_bars(scene, "attention backward layer:2");
  std::size_t expected = 0;
  for (const Span& span : timeline.spans)
    if (span.info == static_cast<std::int32_t>(On::backward) && span.layer == 2) ++expected;
  QVERIFY(expected > 0);
  QCOMPARE(found.bars.size(), expected);
  QCOMPARE(static_cast<std::size_t>(std::count(found.matched.begin(), found.matched.end(), true)),
           expected);
  for (std::size_t i = 1; i < found.bars.size(); ++i)
    QVERIFY(scene.bars.start(found.bars[i - 1]) <= scene.bars.start(found.bars[i]));
  QCOMPARE(found_bars(scene, "launch gap").bars.size(), timeline.host_gaps.size());
}

void TimelineTest::what_is_not_understood_is_said() {
  const Scene scene = scene_of(two_stages());
  QVERIFY(found_bars(scene, "layr:3").wrong.contains("layr:3"));
  QVERIFY(found_bars(scene, "longer:3").wrong.contains("longer:1ms"));
  QCOMPARE(found_bars(scene, "longer:300ns").bars.size(), std::size_t{3});
}

void TimelineTest::tables_hold_the_simulators_numbers() {
  const Scene scene = scene_of(two_stages());
  TimelineTables tables;
  tables.show_scene(scene);
  // The step is 1 us: in milliseconds the path's shares sum to 0.001.
  double sum = 0;
  for (int row = 0; row < tables.path_shares.rowCount(); ++row)
    sum += tables.path_shares.index(row, 2).data().toString().toDouble();
  QCOMPARE(sum, 0.001);
  tables.show_range(scene, TimeWindow{100'000, 450'000});
  const auto rows = range_rows(scene.sources[0].timeline, {{100'000}, {450'000}});
  QCOMPARE(tables.range.rowCount(), static_cast<int>(rows.size()));
  QCOMPARE(tables.range.index(0, 1).data().toString(), QString::fromStdString(rows[0].name));
  TimelineView view = whole_view(scene);
  tables.show_bars(scene, view);
  QCOMPARE(tables.bars.rowCount(), 6);
  // Of 410 to 490 ns: the send, the receive, and nothing else.
  view.window = {410'000, 490'000};
  tables.show_bars(scene, view);
  QCOMPARE(tables.bars.rowCount(), 2);
  QCOMPARE(tables.bars.index(0, 3).data().toString(), "send activation");
  QCOMPARE(tables.bars.index(1, 6).data().toString(), "0.0004");
}

void TimelineTest::a_message_leads_to_its_other_end() {
  const Scene scene = scene_of(two_stages());
  const SceneSource& source = scene.sources[0];
  const std::size_t send = source.bar_of_span[1], receive = source.bar_of_span[2];
  QCOMPARE(*scene.other_end(send), receive);
  QCOMPARE(*scene.other_end(receive), send);
  QVERIFY(!scene.other_end(source.bar_of_span[0]));
}

}  // namespace quintet::gui

QTEST_MAIN(quintet::gui::TimelineTest)
#include "timeline_test.moc"
