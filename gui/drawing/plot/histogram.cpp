#include "gui/drawing/plot/histogram.h"

#include <algorithm>
#include <cmath>

#include "gui/drawing/plot/plot_text.h"
#include "sim/picture/canvas.h"

namespace quintet::gui {

namespace {

constexpr double title_height = 20.0;

PlotFrame frame_of(const QRectF& at, const Histogram& histogram) {
  std::vector<double> x{histogram.bins.front().low, histogram.bins.back().high}, y{0.0};
  for (const HistogramBin& bin : histogram.bins) y.push_back(bin.count);
  return frame_of(at, histogram.x, {histogram.counted, {}, {}, true}, x, y, title_height);
}

QRectF bar_of(const PlotFrame& frame, const HistogramBin& bin) {
  const double left = frame.x.at(bin.low), right = frame.x.at(bin.high);
  const double top = frame.y.at(bin.count);
  return {left, top, right - left, frame.data.bottom() - top};
}

}  // namespace

std::vector<HistogramBin> bins_of(std::span<const double> values, int most) {
  if (values.empty()) return {};
  const ValueRange range = round_range(values, false, most);
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  // The distance that the range was rounded by, so that borders end where it does.
  const double step =
      *least == *greatest ? range.high - range.low : round_step(*least, *greatest, most);
  std::vector<double> borders;
  for (long i = 0; i <= std::lround((range.high - range.low) / step); ++i)
    borders.push_back(range.low + static_cast<double>(i) * step);
  std::vector<HistogramBin> bins;
  for (std::size_t i = 0; i + 1 < borders.size(); ++i)
    bins.push_back({borders[i], borders[i + 1], 0});
  for (const double value : values) {
    const auto after = std::upper_bound(borders.begin(), borders.end(), value) - borders.begin();
    const auto last = static_cast<std::ptrdiff_t>(bins.size()) - 1;
    ++bins[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(after - 1, 0, last))].count;
  }
  return bins;
}

void draw(QPainter& painter, const QRectF& at, const Theme& theme, const Histogram& histogram,
          std::optional<int> chosen) {
  if (histogram.bins.empty()) return draw_empty(painter, at, theme, histogram.empty);
  painter.save();
  const PlotFrame frame = frame_of(at, histogram);
  painter.setFont(plot_title_font());
  painter.setPen(theme.ink);
  draw_text(painter, {at.left(), at.top(), at.width(), title_height}, Qt::AlignLeft,
            histogram.title);
  draw_axes(painter, at, theme, frame, histogram.x, {histogram.counted, {}, {}, true});
  for (std::size_t i = 0; i < histogram.bins.size(); ++i) {
    const QRectF bar = bar_of(frame, histogram.bins[i]);
    fill_look(painter, bar.adjusted(0, 0, -1, 0), theme, histogram.look);
    if (chosen == static_cast<int>(i)) draw_choice(painter, bar, theme);
  }
  painter.restore();
}

std::vector<Mark> marks(const Histogram& histogram, const QRectF& at) {
  std::vector<Mark> all;
  if (histogram.bins.empty()) return all;
  const PlotFrame frame = frame_of(at, histogram);
  for (std::size_t i = 0; i < histogram.bins.size(); ++i) {
    const HistogramBin& bin = histogram.bins[i];
    all.push_back(
        {bar_of(frame, bin),
         QString("%1 %2 from %3 to %4 %5")
             .arg(bin.count)
             .arg(histogram.counted, number_text(bin.low), number_text(bin.high), histogram.x.unit),
         static_cast<int>(i)});
  }
  return all;
}

}  // namespace quintet::gui
