// How long the timeline takes to draw all that is seen: gui_timeline_benchmark [bars ...]. A
// picture whose bars fill 1600 x 900 pixels, 450 rows of two pixels, on one core; the best of
// several frames. With `memory FILE`: what a process holds with a recording of 10^6 bars open,
// which is written to FILE first.
#include <fmt/format.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QTimer>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <random>

#include "gui/pages/timeline/timeline_page.h"
#include "gui/timeline/paint_timeline.h"
#include "sim/timeline/chrome_trace/chrome_trace.h"

namespace quintet::gui {

namespace {

constexpr std::size_t row_count = 512;
// Bars of launch gaps need no spans behind them.
constexpr std::uint32_t scene_gap = 0x80000000U;

// Lengths as those of kernels: many short ones, few long ones.
Scene random_scene(std::size_t bars) {
  Scene scene;
  scene.sources.emplace_back();
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> lengths(0, 1.5);
  const std::size_t per_row = bars / row_count;
  scene.bars.reserve(per_row * row_count);
  double longest = 0;
  for (std::size_t row = 0; row < row_count; ++row) {
    scene.bars.begin_row();
    scene.rows.push_back({0, static_cast<std::int32_t>(row / 4), QString("rank %1").arg(row / 4),
                          "stage 0", "compute", row % 4 == 0});
    double at = 0;
    for (std::size_t bar = 0; bar < per_row; ++bar) {
      const double end = at + 1e6 * lengths(random);
      scene.bars.add(
          Instant{static_cast<std::int64_t>(at)}, Instant{static_cast<std::int64_t>(end)},
          static_cast<std::uint32_t>(bar) | scene_gap, static_cast<Look>(random() % look_count));
      at = end + (random() % 4 == 0 ? 2e5 : 0);
    }
    longest = std::max(longest, at);
  }
  scene.bars.finish();
  scene.whole = {0, longest};
  return scene;
}

double best_frame_ms(const Scene& scene, const TimelineView& view, QSize size) {
  QImage screen(size, QImage::Format_RGB32);
  double best = 1e9;
  for (int frame = 0; frame < 9; ++frame) {
    const auto begin = std::chrono::steady_clock::now();
    QPainter painter(&screen);
    paint_timeline(painter, size, theme_of(Appearance::light), scene, view);
    painter.end();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    best = std::min(best, took.count());
  }
  return best;
}

void measure_frames(std::size_t bars) {
  const Scene scene = random_scene(bars);
  TimelineView view = whole_view(scene);
  view.row_height = 2;
  // Around the bars, what TimelineFrame has there.
  const TimelineFrame frame({1000, 1000}, view);
  const QSize size(1600 + frame.rows.left(), 900 + 1000 - frame.rows.height());
  fmt::print("{} bars, {:.1f} bytes each:", scene.bars.bars(),
             static_cast<double>(scene.bars.bytes()) / static_cast<double>(scene.bars.bars()));
  for (const double zoom : {1.0, 10.0, 100.0}) {
    view.window = zoomed(scene.whole, 1 / zoom, 0.4, scene.whole);
    fmt::print("  {:g}x {:.1f} ms", zoom, best_frame_ms(scene, view, size));
    std::fflush(stdout);
  }
  view.window = scene.whole;
  view.row_height = 20;
  view.window = zoomed(scene.whole, 0.01, 0.4, scene.whole);
  fmt::print("  rows of 20 px with names, 100x {:.1f} ms\n", best_frame_ms(scene, view, size));
}

double megabytes(const char* what) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(what))
      return std::atof(line.c_str() + std::string_view(what).size()) / 1e3;
  return 0;
}

Timeline million_spans() {
  Timeline timeline{.name = "a million"};
  timeline.lanes = {"compute", "tensor"};
  for (int info = 0; info < 80; ++info)
    timeline.infos.push_back({.name = fmt::format("instruction {}", info),
                              .kind = info % 4 == 0 ? SpanKind::collective : SpanKind::compute,
                              .lane = info % 4 == 0 ? 1 : 0});
  for (std::int32_t track = 0; track < 64; ++track) {
    timeline.tracks.push_back({Rank{track}, 1, track / 16, "stage", "host"});
    for (std::int32_t number = 0; number < 15'625; ++number) {
      const Instant start{number * 3'000'000LL};
      timeline.spans.push_back({number % 80, track, start, start, start + Duration{2'900'000},
                                number % 40, number / 500, 0, -1, -1});
    }
  }
  timeline.end = {15'625 * 3'000'000LL};
  return timeline;
}

template <class Done>
void wait_for(Done done) {
  QEventLoop loop;
  QTimer timer;
  QObject::connect(&timer, &QTimer::timeout, &loop, [&] {
    if (done()) loop.quit();
  });
  timer.start(5);
  loop.exec();
}

int measure_memory(const std::string& file) {
  if (!write_chrome_trace(file, million_spans())) return 1;
  Document document;
  TimelinePage page(document, nullptr);
  page.resize(1600, 900);
  page.show();
  QElapsedTimer clock;
  clock.start();
  document.load_recording(QString::fromStdString(file));
  wait_for([&] { return !document.reader().busy() && !page.busy() && page.timeline().scene(); });
  const auto took = clock.elapsed();
  page.grab();
  fmt::print("{} bars from {:.0f} MB in {} ms: {:.0f} MB resident, {:.0f} MB at most meanwhile\n",
             page.timeline().scene()->bars.bars(),
             static_cast<double>(std::filesystem::file_size(file)) / 1e6, took, megabytes("VmRSS:"),
             megabytes("VmHWM:"));
  return 0;
}

}  // namespace

}  // namespace quintet::gui

int main(int count, char** words) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(count, words);
  const QStringList arguments = QApplication::arguments();
  if (arguments.size() == 3 && arguments[1] == "memory")
    return quintet::gui::measure_memory(arguments[2].toStdString());
  QList<std::size_t> sizes;
  for (const QString& each : arguments.mid(1)) sizes << each.toULongLong();
  if (sizes.isEmpty()) sizes = {100'000, 1'000'000, 10'000'000};
  for (const std::size_t bars : sizes) quintet::gui::measure_frames(bars);
}
