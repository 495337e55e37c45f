#include "sim/validate/report/drawings.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sim/base/report.h"

namespace quintet {

namespace {

constexpr int margin = 52, size = 280;

struct Colour {
  const char* part;
  const char* colour;
};
constexpr Colour colours[]{{"compute", "#4477aa"},
                           {"exposed communication", "#ee6677"},
                           {"pipeline bubble", "#ccbb44"},
                           {"waiting for peers", "#aa3377"},
                           {"copy", "#66ccee"},
                           {"host", "#228833"},
                           {"idle", "#bbbbbb"}};

class Plot {
 public:
  explicit Plot(const std::vector<PlotPoint>& points) {
    double least = points.front().pair.measured, most = least;
    for (const PlotPoint& point : points)
      for (const double value : {point.pair.predicted, point.pair.measured})
        least = std::min(least, value), most = std::max(most, value);
    low_ = std::log10(least) - 0.08;
    high_ = std::log10(most) + 0.08;
  }

  double across(double value) const {
    return margin + size * (std::log10(value) - low_) / (high_ - low_);
  }
  double up(double value) const { return 2 * margin + size - across(value); }
  double least() const { return std::pow(10, low_); }
  double most() const { return std::pow(10, high_); }

 private:
  double low_ = 0, high_ = 0;
};

std::string at(double x, double y) {
  return fixed(x, 1) + "," + fixed(y, 1) + " ";
}

// What lies between 10 % less and 10 % more, inside the frame.
std::string band(const Plot& plot) {
  const double low = plot.least(), high = plot.most();
  return R"(<polygon class="band" points=")" + at(plot.across(low), plot.up(low)) +
         at(plot.across(low), plot.up(low * 1.1)) + at(plot.across(high / 1.1), plot.up(high)) +
         at(plot.across(high), plot.up(high)) + at(plot.across(high), plot.up(high / 1.1)) +
         at(plot.across(low * 1.1), plot.up(low)) + R"("/>)";
}

std::string label(double value) {
  if (value >= 1) return fixed(value, 0);
  return fixed(value, static_cast<int>(std::ceil(-std::log10(value) - 1e-9)));
}

std::string tick(const Plot& plot, double value) {
  return fmt::format(R"(<path class="grid" d="M{0} {2}V{3}M{2} {1}H{3}"/>)"
                     R"(<text x="{0}" y="{4}" text-anchor="middle">{6}</text>)"
                     R"(<text x="{5}" y="{7}" text-anchor="end">{6}</text>)",
                     fixed(plot.across(value), 1), fixed(plot.up(value), 1), margin, margin + size,
                     margin + size + 15, margin - 5, label(value), fixed(plot.up(value) + 4, 1));
}

// 1, 2 and 5 of every decade.
std::string ticks(const Plot& plot) {
  std::string text;
  for (double decade = 1e-4; decade < 1e6; decade *= 10)
    for (const double digit : {1.0, 2.0, 5.0})
      if (digit * decade >= plot.least() && digit * decade <= plot.most())
        text += tick(plot, digit * decade);
  return text;
}

std::string dot(const Plot& plot, const PlotPoint& point) {
  const Pair& pair = point.pair;
  return fmt::format(
      R"(<circle cx="{}" cy="{}" r="3"><title>{}: {} s measured, {} s predicted, {} %</title>)"
      "</circle>",
      fixed(plot.across(pair.measured), 1), fixed(plot.up(pair.predicted), 1),
      html_escaped(point.name), fixed(pair.measured, 4), fixed(pair.predicted, 4),
      signed_fixed(100 * relative_error(pair), 1));
}

}  // namespace

std::string scatter_plot(const std::vector<PlotPoint>& points) {
  if (points.empty()) return {};
  const Plot plot(points);
  std::string dots;
  for (const PlotPoint& point : points) dots += dot(plot, point);
  return R"(<svg width="350" height="375" viewBox="0 0 350 375">)" + ticks(plot) + band(plot) +
         fmt::format(R"(<path class="frame" d="M{0} {0}H{1}V{1}H{0}ZM{0} {1}L{1} {0}"/>)", margin,
                     margin + size) +
         dots +
         R"(<text x="192" y="366" text-anchor="middle">measured, s</text>)"
         R"(<text x="14" y="192" text-anchor="middle" )"
         R"svg(transform="rotate(-90 14 192)">predicted, s</text></svg>)svg";
}

std::string step_bar(const StepPrediction& prediction, const Pair& pair) {
  constexpr double width = 260;
  const double scale = width / std::max({pair.predicted, pair.measured, 1e-12});
  std::string html = "<svg class=\"bar\" width=\"264\" height=\"18\">";
  double from = 0;
  for (const StepPart& part : prediction.parts) {
    const double length = std::max(0.0, part.time.value * scale);
    if (part.level != 0) continue;
    for (const Colour& colour : colours)
      if (part.name == colour.part && length > 0)
        html += fmt::format(R"(<rect x="{}" y="3" width="{}" height="12" fill="{}"/>)",
                            fixed(from, 1), fixed(length, 1), colour.colour);
    from += length;
  }
  return html + fmt::format(R"(<path d="M{} 0V18" stroke="#000" stroke-width="2"/></svg>)",
                            fixed(pair.measured * scale, 1));
}

std::string step_bar_legend() {
  std::string html = "<p>The bar is the predicted step, the line across it the measured one.";
  for (const Colour& colour : colours)
    html += fmt::format(R"( <span class="key" style="background:{}"></span>{})", colour.colour,
                        colour.part);
  return html + "</p>\n";
}

}  // namespace quintet
