#include "sim/picture/line_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace quintet {

namespace {

// Yellow is left for boxes: it is too bright for lines.
constexpr std::array looks{Look::sky,    Look::vermillion, Look::green, Look::purple,
                           Look::orange, Look::blue,       Look::grey};
static_assert(looks.size() == most_plotted_lines);

constexpr double plot_left = 62, plot_right = picture_width - 10, plot_top = 24, plot_height = 210,
                 line_height = 18;

class LineDrawing {
 public:
  explicit LineDrawing(const LinePlot& all) : all_(all), canvas_(all.name) {
    shown_ = std::min(all.lines.size(), most_plotted_lines);
    bool first = true;
    for (std::size_t i = 0; i < shown_; ++i)
      for (const auto& point : all.lines[i].points) {
        if (!point) continue;
        low_ = first ? point->x : std::min(low_, point->x);
        high_ = first ? point->x : std::max(high_, point->x);
        most_ = std::max(most_, point->y.value);
        rings_ = rings_ || !point->usual;
        first = false;
      }
    for (const double tick : all.ticks_at) {
      low_ = first ? tick : std::min(low_, tick);
      high_ = first ? tick : std::max(high_, tick);
      first = false;
    }
    if (!all.words.empty()) {
      low_ = 0;
      high_ = static_cast<double>(all.words.size() - 1);
    }
  }

  Picture draw() {
    axes();
    for (std::size_t i = 0; i < shown_; ++i) draw_line(i);
    const double height = legend();
    Picture picture{all_.name, all_.title, description(), {}, height, canvas_.body()};
    if (shown_ < all_.lines.size())
      picture.notes.push_back(
          fmt::format("The first {} of {} lines; --json has all.", shown_, all_.lines.size()));
    return picture;
  }

 private:
  double across(double x) const {
    constexpr double margin = 12;
    if (high_ <= low_) return (plot_left + plot_right) / 2;
    return plot_left + margin + (plot_right - plot_left - 2 * margin) * (x - low_) / (high_ - low_);
  }
  double up(double y) const {
    return plot_top + plot_height * (1 - (most_ > 0 ? y / (1.05 * most_) : 0));
  }

  void axes() {
    canvas_.text({0, 12}, all_.up, Anchor::start, Ink::soft);
    for (const double tick : ticks(0, 1.05 * most_, 5)) {
      canvas_.line({plot_left, up(tick)}, {plot_right, up(tick)}, Stroke::grid);
      canvas_.text({plot_left - 6, up(tick) + 4}, tick_text(tick), Anchor::end, Ink::soft);
    }
    canvas_.line({plot_left, up(0)}, {plot_right, up(0)}, Stroke::axis);
    for (std::size_t word = 0; word < all_.words.size(); ++word)
      mark_across(static_cast<double>(word), all_.words[word]);
    if (!all_.words.empty()) return;
    const std::vector<double> at = all_.ticks_at.empty() ? ticks(low_, high_, 6) : all_.ticks_at;
    for (const double tick : at) mark_across(tick, tick_text(tick));
  }

  void mark_across(double at, const std::string& text) {
    canvas_.line({across(at), up(0)}, {across(at), up(0) + 5}, Stroke::axis);
    const std::size_t marks = std::max(all_.words.size(), all_.ticks_at.size());
    const double width =
        (plot_right - plot_left) / static_cast<double>(std::max<std::size_t>(1, marks));
    canvas_.text_in(std::max(30.0, width - 4), {across(at), up(0) + 18}, text, Anchor::middle,
                    Ink::soft);
  }

  void draw_line(std::size_t number) {
    const PlottedLine& line = all_.lines[number];
    const Look look = looks[number];
    std::vector<Spot> through;
    for (const auto& point : line.points) {
      if (point) {
        through.push_back({across(point->x), up(point->y.value)});
        continue;
      }
      canvas_.curve(through, look);
      through.clear();
    }
    canvas_.curve(through, look);
    for (const auto& point : line.points)
      if (point)
        canvas_.mark({across(point->x), up(point->y.value)}, look, line.name + ": " + point->y.text,
                     point->usual, "data-value=\"" + point->y.exact + "\"");
  }

  double legend() {
    double y = up(0) + 38;
    canvas_.text({(plot_left + plot_right) / 2, y}, all_.across, Anchor::middle, Ink::soft);
    if (shown_ > 1) {
      std::vector<std::pair<Look, std::string>> names;
      for (std::size_t i = 0; i < shown_; ++i) names.emplace_back(looks[i], all_.lines[i].name);
      y += canvas_.keys({0, y + line_height}, picture_width, names);
    }
    if (rings_) {
      y += line_height;
      canvas_.dot({6, y - 4}, "", false);
      canvas_.text({18, y}, all_.ring_means);
    }
    return y + 10;
  }

  std::string description() const {
    std::string text;
    for (std::size_t i = 0; i < shown_; ++i) {
      text += (text.empty() ? "" : ". ") + all_.lines[i].name + ": ";
      for (const auto& point : all_.lines[i].points)
        text += (point ? point->y.text : std::string("none")) + " ";
    }
    return text + all_.up;
  }

  const LinePlot& all_;
  Canvas canvas_;
  std::size_t shown_ = 0;
  double low_ = 0, high_ = 0, most_ = 0;
  bool rings_ = false;
};

}  // namespace

Picture draw(const LinePlot& plot) {
  return LineDrawing(plot).draw();
}

}  // namespace quintet
