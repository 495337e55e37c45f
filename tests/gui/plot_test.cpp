// Plots without a window: ticks, hit testing, bins, and that every kind draws at two sizes.
#include <QImage>
#include <QPainter>
#include <QtTest>
#include <random>

#include "gui/drawing/plot/heat_map.h"
#include "gui/drawing/plot/histogram.h"
#include "gui/drawing/plot/parts_plot.h"
#include "gui/drawing/plot/plot.h"
#include "gui/drawing/plot/scale.h"
#include "gui/drawing/plot/xy_plot.h"

namespace quintet::gui {

class PlotTest : public QObject {
  Q_OBJECT

 private slots:
  void ranges_end_at_round_numbers();
  void a_scale_reads_back();
  void ticks_are_as_exact_as_their_distance();
  void the_nearest_mark_is_hit();
  void arrows_lead_to_the_next_mark();
  void a_point_is_where_its_values_are();
  void parts_of_a_bar_are_as_long_as_they_are();
  void cells_are_hit_where_they_are_drawn();
  void the_best_cell_fits();
  void bins_hold_every_value_once();
  void every_kind_draws();
};

void PlotTest::ranges_end_at_round_numbers() {
  // Steps of 2 lead from 3.1 to 9.7: 2, 4, 6, 8, 10.
  const std::vector values{3.1, 9.7};
  QCOMPARE(round_range(values, false, 4), (ValueRange{2, 10}));
  // Five steps or fewer from 0 to 9.7 are of 2.
  QCOMPARE(round_range(values, true, 5), (ValueRange{0, 10}));
  QCOMPARE(round_range({}, false, 5), (ValueRange{0, 1}));
  // A single value lies inside of its range.
  const std::vector one{7.0};
  const ValueRange about = round_range(one, false, 5);
  QVERIFY(about.low < 7.0 && about.high > 7.0);
}

void PlotTest::a_scale_reads_back() {
  const Scale scale{{-3, 12}, 200, 20};
  for (const double value : {-3.0, 0.0, 4.5, 12.0})
    QVERIFY(std::abs(scale.value_at(scale.at(value)) - value) < 1e-9);
  QCOMPARE(scale.at(-3), 200.0);
  QCOMPARE(scale.at(12), 20.0);
}

void PlotTest::ticks_are_as_exact_as_their_distance() {
  const std::vector fine{0.0, 0.05, 0.1}, coarse{8000.0, 10000.0, 12000.0};
  QCOMPARE(tick_texts(fine), (std::vector<QString>{"0.00", "0.05", "0.10"}));
  QCOMPARE(tick_texts(coarse), (std::vector<QString>{"8,000", "10,000", "12,000"}));
  QCOMPARE(number_text(1234.5), QString("1,234.5"));
  QCOMPARE(number_text(-1234567.0), QString("-1,234,567"));
  QCOMPARE(number_text(0.25), QString("0.25"));
}

void PlotTest::the_nearest_mark_is_hit() {
  const std::vector<Mark> marks{{{0, 0, 10, 10}, "left", 1}, {{30, 0, 10, 10}, "right", 2}};
  QCOMPARE(mark_at(marks, {5, 5}), std::optional<std::size_t>(0));
  QCOMPARE(mark_at(marks, {24, 5}, 8), std::optional<std::size_t>(1));  // 6 off it
  QCOMPARE(mark_at(marks, {20, 5}, 8), std::optional<std::size_t>());   // 10 off both
  // Of two that lie upon each other, the one whose middle is nearer.
  const std::vector<Mark> heap{{{0, 0, 20, 20}, "", 1}, {{4, 0, 20, 20}, "", 2}};
  QCOMPARE(mark_at(heap, {13, 10}), std::optional<std::size_t>(1));
}

void PlotTest::arrows_lead_to_the_next_mark() {
  // 0 1
  // 2 3, the lower ones a little to the right
  const std::vector<Mark> marks{{{0, 0, 2, 2}, "", 0},
                                {{50, 0, 2, 2}, "", 1},
                                {{5, 50, 2, 2}, "", 2},
                                {{55, 50, 2, 2}, "", 3}};
  using Found = std::optional<std::size_t>;
  QCOMPARE(next_mark(marks, {}, Toward::right), Found(0));
  // 50 straight ahead, and not what is 5 ahead but 50 aside.
  QCOMPARE(next_mark(marks, 0, Toward::right), Found(1));
  QCOMPARE(next_mark(marks, 0, Toward::down), Found(2));
  QCOMPARE(next_mark(marks, 3, Toward::left), Found(2));
  QCOMPARE(next_mark(marks, 3, Toward::right), Found(3));  // nothing there: it stays
}

void PlotTest::a_point_is_where_its_values_are() {
  XyPlot plot;
  plot.title = "step";
  plot.x.name = "hosts";
  plot.y.name = "step";
  plot.series = {{"", Look::blue, {{1, 10, "", "low", 7}, {3, 30, "", "high", 8}}, true}};
  const QRectF at(0, 0, 600, 400);
  const std::vector<Mark> found = marks(XyPanels{{plot}, ""}, at);
  QCOMPARE(found.size(), std::size_t{2});
  // More to the right and further up, as its values are greater.
  QVERIFY(found[1].area.center().x() > found[0].area.center().x());
  QVERIFY(found[1].area.center().y() < found[0].area.center().y());
  QCOMPARE(found[*mark_at(found, found[1].area.center())].id, 8);
}

void PlotTest::parts_of_a_bar_are_as_long_as_they_are() {
  PartsPlot plot;
  plot.keys = {{Look::blue, "compute"}, {Look::vermillion, "bubble"}};
  plot.bars = {{"a", "", "40 ms", {30, 10}, {"", ""}, {"", ""}, false},
               {"b", "", "20 ms", {5, 15}, {"", ""}, {"", ""}, true}};
  const std::vector<Mark> found = marks(plot, {0, 0, 800, 300});
  QCOMPARE(found.size(), std::size_t{4});
  // 30 : 10 : 5 : 15 on one scale, each bar without gaps.
  QVERIFY(std::abs(found[0].area.width() / found[1].area.width() - 3.0) < 1e-6);
  QVERIFY(std::abs(found[0].area.width() / found[2].area.width() - 6.0) < 1e-6);
  QCOMPARE(found[0].area.right(), found[1].area.left());
  QCOMPARE(found[3].id, 101);
}

HeatMap some_map() {
  HeatMap map{"step, ms", "nics", "recompute", {"1", "2", "4"}, {"none", "full"}, {}, true, ""};
  // The least does not fit; (none, 4) is the best that does; (full, 4) cannot be.
  const std::vector<double> values{9, 8, 7, 5, 12, 0};
  for (int i = 0; i < 6; ++i)
    map.cells.push_back({i == 5 ? std::nullopt : std::optional(values[static_cast<std::size_t>(i)]),
                         QString::number(i), "", i, i != 3, false});
  return map;
}

void PlotTest::the_best_cell_fits() {
  QCOMPARE(best_cell(some_map()), std::optional<std::size_t>(2));
}

void PlotTest::cells_are_hit_where_they_are_drawn() {
  const HeatMap map = some_map();
  const QRectF at(0, 0, 640, 400);
  const std::vector<Mark> found = marks(map, at);
  QCOMPARE(found.size(), std::size_t{6});
  QImage image(640, 400, QImage::Format_RGB32);
  const Theme& theme = theme_of(Appearance::light);
  image.fill(theme.paper);
  QPainter painter(&image);
  draw(painter, at, theme, map);
  painter.end();
  // (full, 2), 12, is the greatest and (full, 1), 5, the least: the ends of the colours. A corner
  // of the cell is free of text.
  const auto color = [&](std::size_t cell) {
    return image.pixelColor((found[cell].area.topLeft() + QPointF(9, 9)).toPoint());
  };
  QCOMPARE(color(4).rgb(), load_color(theme, 1.0).rgb());
  QCOMPARE(color(0).rgb(), load_color(theme, (9.0 - 5.0) / 7.0).rgb());
  // The first row lies below the second.
  QVERIFY(found[0].area.top() > found[3].area.top());
}

void PlotTest::bins_hold_every_value_once() {
  std::mt19937 random(3);
  std::normal_distribution<double> spread(0.0, 5.0);
  for (int round = 0; round < 50; ++round) {
    std::vector<double> values;
    for (int i = 0; i <= round; ++i) values.push_back(spread(random));
    const std::vector<HistogramBin> bins = bins_of(values, 8);
    int sum = 0;
    for (std::size_t i = 0; i < bins.size(); ++i) {
      const bool last = i + 1 == bins.size();
      const auto inside = std::count_if(values.begin(), values.end(), [&](double value) {
        return value >= bins[i].low && (value < bins[i].high || (last && value <= bins[i].high));
      });
      QCOMPARE(bins[i].count, static_cast<int>(inside));
      sum += bins[i].count;
    }
    QCOMPARE(sum, static_cast<int>(values.size()));
  }
}

void PlotTest::every_kind_draws() {
  XyPlot lines;
  lines.series = {{"one", Look::blue, {{1, 2, "best", "", 0}, {2, 1, "", "", 1}}, true},
                  {"two", Look::green, {{1, 4, "", "", 2, PointState::hollow}}, true}};
  Histogram histogram{"errors",    {"error", "%", {}, false, {}},
                      "operators", bins_of(std::vector{1.0, 2.0, 2.5}, 4),
                      Look::sky,   ""};
  PartsPlot parts;
  parts.keys = {{Look::blue, "compute"}};
  parts.bars = {{"a", "note", "1 ms", {1}, {"1"}, {""}, false}};
  const std::vector<Plot> plots{plot_of(XyPanels{{lines, lines}, ""}), plot_of(some_map()),
                                plot_of(parts), plot_of(histogram),
                                plot_of(XyPanels{{}, "nothing yet"})};
  for (const auto appearance : {Appearance::light, Appearance::dark, Appearance::high_contrast})
    for (const QSize size : {QSize(1600, 900), QSize(300, 160)})
      for (const Plot& plot : plots) {
        const Theme& theme = theme_of(appearance);
        QImage image(size, QImage::Format_RGB32);
        QPainter painter(&image);
        paint_plot(painter, size, theme, plot, 0);
        painter.end();
        QImage empty(size, QImage::Format_RGB32);
        empty.fill(theme.paper);
        QVERIFY(image != empty);
        // What can be pointed at lies in the picture.
        for (const Mark& mark : plot.marks(plot_place(size)))
          QVERIFY(QRectF(QPointF(), size).contains(mark.area.center()));
      }
}

}  // namespace quintet::gui

QTEST_MAIN(quintet::gui::PlotTest)
#include "plot_test.moc"
