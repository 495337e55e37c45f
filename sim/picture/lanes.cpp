#include "sim/picture/lanes.h"

#include <fmt/format.h>

#include <algorithm>

namespace quintet {

namespace {

constexpr double lanes_left = 66, lanes_right = picture_width - 6, strip_height = 9, lanes_gap = 8,
                 lanes_top = 4;

// In order, those that touch or nearly do as one.
std::vector<std::pair<double, double>> merged(std::vector<std::pair<double, double>> spans,
                                              double near) {
  std::sort(spans.begin(), spans.end());
  std::vector<std::pair<double, double>> all;
  for (const auto& span : spans) {
    if (!all.empty() && span.first <= all.back().second + near)
      all.back().second = std::max(all.back().second, span.second);
    else if (span.second > span.first)
      all.push_back(span);
  }
  return all;
}

class LaneChart {
 public:
  explicit LaneChart(const Lanes& all) : all_(all), canvas_(all.name) {}

  Picture draw() {
    const std::size_t shown = std::min(all_.lanes.size(), most_lanes);
    for (std::size_t lane = 0; lane < shown; ++lane) draw_lane(all_.lanes[lane]);
    scale();
    Picture picture{all_.name, all_.title, description(shown), {}, 0, ""};
    std::vector<std::pair<Look, std::string>> keys;
    if (!all_.lanes.empty())
      for (const Strip& strip : all_.lanes.front().strips)
        keys.emplace_back(strip.look, strip.name);
    picture.height = y_ + 32 + canvas_.keys({0, y_ + 42}, picture_width, keys);
    if (shown < all_.lanes.size())
      picture.notes.push_back(
          fmt::format("The first {} of {}; --trace has others.", shown, all_.lanes.size()));
    picture.body = canvas_.body();
    return picture;
  }

 private:
  double across(double time) const {
    return all_.end > 0 ? lanes_left + (lanes_right - lanes_left) * time / all_.end : lanes_left;
  }

  void draw_lane(const LaneOf& lane) {
    constexpr double seen = 1.0 / 800;  // of the width
    const double height = strip_height * static_cast<double>(lane.strips.size());
    canvas_.text_in(lanes_left - 4, {0, y_ + height / 2 + 4}, lane.name);
    canvas_.empty({lanes_left, y_, lanes_right - lanes_left, height});
    for (const Strip& strip : lane.strips) {
      std::vector<Rectangle> boxes;
      for (const auto& [from, to] : merged(strip.spans, seen * all_.end))
        boxes.push_back({across(from), y_, across(to) - across(from), strip_height});
      canvas_.boxes(boxes, strip.look, lane.name + " " + strip.name);
      y_ += strip_height;
    }
    y_ += lanes_gap;
  }

  void scale() {
    canvas_.line({lanes_left, y_}, {lanes_right, y_}, Stroke::axis);
    for (const double tick : ticks(0, all_.end, 5)) {
      const double x = across(tick);
      canvas_.line({x, y_}, {x, y_ + 5}, Stroke::axis);
      canvas_.text({x, y_ + 17}, tick_text(tick),
                   x > lanes_right - 20 ? Anchor::end : Anchor::middle, Ink::soft);
    }
    canvas_.text({0, y_ + 17}, all_.unit, Anchor::start, Ink::soft);
  }

  std::string description(std::size_t shown) const {
    std::string text;
    for (std::size_t lane = 0; lane < shown; ++lane) {
      text += all_.lanes[lane].name;
      for (const Strip& strip : all_.lanes[lane].strips) {
        double sum = 0;
        for (const auto& [from, to] : merged(strip.spans, 0)) sum += to - from;
        text += fmt::format(" {} {} {},", strip.name,
                            sum < 1e4 ? fmt::format("{:.4g}", sum) : fmt::format("{:.0f}", sum),
                            all_.unit);
      }
      text.back() = ';';
      text += " ";
    }
    return text + fmt::format("of {:.6g} {}.", all_.end, all_.unit);
  }

  const Lanes& all_;
  Canvas canvas_;
  double y_ = lanes_top;
};

}  // namespace

Picture draw(const Lanes& lanes) {
  return LaneChart(lanes).draw();
}

}  // namespace quintet
