#include "sim/picture/scatter.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace quintet {
namespace {

constexpr double plot_left = 54, plot_right = picture_width - 12, plot_top = 22, plot_bottom = 262;

// Values from low to high on a length; with a margin, from 0 where that is near.
struct Range {
  double low = 0, high = 1;
  double share(double value) const { return (value - low) / (high - low); }
};

Range range_of(const std::vector<double>& values) {
  if (values.empty()) return {};
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double extent = *most - *least;
  const double margin = extent > 0 ? 0.06 * extent : std::max(1e-9, 0.1 * std::abs(*most));
  const double low = *least - margin;
  const bool from_zero = *least >= 0 && 3 * extent > *most;
  return {from_zero ? 0 : low, *most + margin};
}

class ScatterDrawing {
 public:
  explicit ScatterDrawing(const Scatter& all)
      : all_(all),
        points_(all.points.begin(), all.points.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                             all.points.size(), most_points))),
        canvas_(all.name) {
    std::vector<double> across, up;
    for (const ScatterPoint& each : points_) {
      across.push_back(each.across.value);
      up.push_back(each.up.value);
    }
    across_ = range_of(across);
    up_ = range_of(up);
  }

  Picture draw() {
    scales();
    front();
    for (const ScatterPoint& each : points_) point(each);
    legend();
    return {all_.name, all_.title, description(), notes(), plot_bottom + 76, canvas_.body()};
  }

 private:
  Spot spot(const ScatterPoint& each) const {
    return {plot_left + (plot_right - plot_left) * across_.share(each.across.value),
            plot_bottom - (plot_bottom - plot_top) * up_.share(each.up.value)};
  }

  std::string text_of(const ScatterPoint& each) const {
    return fmt::format("{}: {} {} {}, {} {} {}", each.name, all_.across_name, each.across.text,
                       all_.across_unit, all_.up_name, each.up.text, all_.up_unit);
  }

  void scales() {
    for (const double tick : ticks(across_.low, across_.high, 5)) {
      const double x = plot_left + (plot_right - plot_left) * across_.share(tick);
      canvas_.line({x, plot_top}, {x, plot_bottom}, Stroke::grid);
      canvas_.text({x, plot_bottom + 16}, tick_text(tick),
                   x > plot_right - 20 ? Anchor::end : Anchor::middle, Ink::soft);
    }
    for (const double tick : ticks(up_.low, up_.high, 5)) {
      const double y = plot_bottom - (plot_bottom - plot_top) * up_.share(tick);
      canvas_.line({plot_left, y}, {plot_right, y}, Stroke::grid);
      canvas_.text({plot_left - 6, y + 4}, tick_text(tick), Anchor::end, Ink::soft);
    }
    canvas_.line({plot_left, plot_top}, {plot_left, plot_bottom}, Stroke::axis);
    canvas_.line({plot_left, plot_bottom}, {plot_right, plot_bottom}, Stroke::axis);
    canvas_.text({4, 12}, all_.up_name + ", " + all_.up_unit, Anchor::start, Ink::soft);
    canvas_.text({plot_right, plot_bottom + 34}, all_.across_name + ", " + all_.across_unit,
                 Anchor::end, Ink::soft);
  }

  void front() {
    std::vector<Spot> spots;
    for (const ScatterPoint& each : points_)
      if (each.strong) spots.push_back(spot(each));
    std::sort(spots.begin(), spots.end(), [](Spot left, Spot right) {
      return std::pair(left.x, left.y) < std::pair(right.x, right.y);
    });
    for (std::size_t i = 1; i < spots.size(); ++i)
      canvas_.line(spots[i - 1], spots[i], Stroke::whisker);
  }

  void point(const ScatterPoint& each) {
    const Spot at = spot(each);
    canvas_.dot(at, text_of(each), each.strong);
    if (!each.labelled) return;
    const bool left = at.x > (plot_left + plot_right) / 2;
    canvas_.text_in(left ? at.x - plot_left - 8 : plot_right - at.x - 8,
                    {left ? at.x - 8 : at.x + 8, at.y - 6}, each.name,
                    left ? Anchor::end : Anchor::start, Ink::strong);
  }

  void legend() {
    const double y = plot_bottom + 62;
    canvas_.dot({12, y - 4});
    canvas_.text({24, y}, all_.strong_name);
    const double x = 24 + width_of(all_.strong_name) + 24;
    canvas_.dot({x, y - 4}, "", false);
    canvas_.text({x + 12, y}, all_.weak_name);
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> notes;
    if (across_.low != 0 || up_.low != 0)
      notes.push_back("Axes begin where the points do, not at 0.");
    if (points_.size() < all_.points.size())
      notes.push_back(
          fmt::format("The first {} of {}; --json has all.", points_.size(), all_.points.size()));
    return notes;
  }

  std::string description() const {
    std::string text;
    for (const ScatterPoint& each : points_)
      if (each.strong) text += text_of(each) + ". ";
    return all_.strong_name + ": " + text;
  }

  const Scatter& all_;
  std::vector<ScatterPoint> points_;
  Canvas canvas_;
  Range across_, up_;
};

}  // namespace

Picture draw(const Scatter& scatter) {
  return ScatterDrawing(scatter).draw();
}

}  // namespace quintet
