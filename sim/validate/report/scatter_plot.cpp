#include "sim/validate/report/scatter_plot.h"

#include <algorithm>
#include <cmath>

#include "sim/base/html_page.h"

namespace quintet {

namespace {

constexpr double margin = 52, size = 280;

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
  return "<polygon class=\"band\" points=\"" + at(plot.across(low), plot.up(low)) +
         at(plot.across(low), plot.up(low * 1.1)) + at(plot.across(high / 1.1), plot.up(high)) +
         at(plot.across(high), plot.up(high)) + at(plot.across(high), plot.up(high / 1.1)) +
         at(plot.across(low * 1.1), plot.up(low)) + "\"/>";
}

std::string label(double value) {
  if (value >= 1) return fixed(value, 0);
  return fixed(value, static_cast<int>(std::ceil(-std::log10(value) - 1e-9)));
}

// 1, 2 and 5 of every decade.
std::string ticks(const Plot& plot) {
  std::string text;
  for (double decade = 1e-4; decade < 1e6; decade *= 10)
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double value = digit * decade;
      if (value < plot.least() || value > plot.most()) continue;
      const std::string x = fixed(plot.across(value), 1), y = fixed(plot.up(value), 1);
      const std::string from = fixed(margin, 0), to = fixed(margin + size, 0);
      text += "<path class=\"grid\" d=\"M" + x + " " + from + "V" + to + "M" + from + " " + y +
              "H" + to + "\"/><text x=\"" + x + "\" y=\"" + fixed(margin + size + 15, 0) +
              "\" text-anchor=\"middle\">" + label(value) + "</text><text x=\"" +
              fixed(margin - 5, 0) + "\" y=\"" + fixed(plot.up(value) + 4, 1) +
              "\" text-anchor=\"end\">" + label(value) + "</text>";
    }
  return text;
}

std::string dot(const Plot& plot, const PlotPoint& point) {
  const Pair& pair = point.pair;
  return "<circle cx=\"" + fixed(plot.across(pair.measured), 1) + "\" cy=\"" +
         fixed(plot.up(pair.predicted), 1) + "\" r=\"3\"><title>" + html_escaped(point.name) +
         ": " + fixed(pair.measured, 4) + " s measured, " + fixed(pair.predicted, 4) +
         " s predicted, " + signed_fixed(100 * relative_error(pair), 1) + " %</title></circle>";
}

}  // namespace

std::string scatter_plot(const std::vector<PlotPoint>& points) {
  if (points.empty()) return {};
  const Plot plot(points);
  const std::string low = fixed(margin, 0), high = fixed(margin + size, 0);
  std::string dots;
  for (const PlotPoint& point : points) dots += dot(plot, point);
  return "<svg width=\"350\" height=\"375\" viewBox=\"0 0 350 375\">" + ticks(plot) + band(plot) +
         "<path class=\"frame\" d=\"M" + low + " " + low + "H" + high + "V" + high + "H" + low +
         "ZM" + low + " " + high + "L" + high + " " + low + "\"/>" + dots +
         "<text x=\"192\" y=\"366\" text-anchor=\"middle\">measured, s</text>"
         "<text x=\"14\" y=\"192\" text-anchor=\"middle\" transform=\"rotate(-90 14 192)\">"
         "predicted, s</text></svg>";
}

}  // namespace quintet
