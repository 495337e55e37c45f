#include "sim/picture/ranges.h"

#include <fmt/format.h>

#include <algorithm>

namespace quintet {

namespace {

constexpr double range_height = 36, ranges_left = 6, ranges_right = picture_width - 6,
                 ranges_top = 4;

class RangeDrawing {
 public:
  explicit RangeDrawing(const RangeRows& all) : all_(all), canvas_(all.name) {
    shown_ = std::min(all.rows.size(), most_ranges);
    for (std::size_t i = 0; i < shown_; ++i) {
      const RangeRow& row = all.rows[i];
      most_ = std::max({most_, row.point.value, row.interval ? row.interval->second.value : 0,
                        row.other ? row.other->value : 0});
      any_other_ = any_other_ || row.other;
    }
    most_ *= 1.02;
  }

  Picture draw() {
    Picture picture{all_.name, all_.title, "", {}, 0, ""};
    for (std::size_t i = 0; i < shown_; ++i) {
      picture.description += all_.rows[i].name + ": " + text_of(all_.rows[i]) + ". ";
      draw_row(all_.rows[i]);
    }
    scale();
    legend();
    picture.height = y_ + 52;
    if (shown_ < all_.rows.size())
      picture.notes.push_back(
          fmt::format("The first {} of {}; --json has all.", shown_, all_.rows.size()));
    picture.body = canvas_.body();
    return picture;
  }

 private:
  double across(double value) const {
    return most_ > 0 ? ranges_left + (ranges_right - ranges_left) * value / most_ : ranges_left;
  }

  std::string text_of(const RangeRow& row) const {
    std::string text = row.point.text;
    if (row.interval)
      text += " (" + row.interval->first.text + " to " + row.interval->second.text + ")";
    if (row.other) text += ", " + all_.other_name + " " + row.other->text;
    return text + " " + all_.unit;
  }

  void draw_row(const RangeRow& row) {
    const std::string values = text_of(row);
    canvas_.text_in(picture_width - width_of(values) - 8, {0, y_ + 12}, row.name);
    canvas_.text({picture_width, y_ + 12}, values, Anchor::end, Ink::soft);
    const double y = y_ + 23;
    canvas_.line({ranges_left, y}, {ranges_right, y}, Stroke::grid);
    if (row.interval) {
      const double low = across(row.interval->first.value),
                   high = across(row.interval->second.value);
      canvas_.line({low, y}, {high, y}, Stroke::whisker);
      for (const double x : {low, high}) canvas_.line({x, y - 5}, {x, y + 5}, Stroke::whisker);
    }
    if (row.other)
      canvas_.dot({across(row.other->value), y}, all_.other_name + ": " + row.other->text, false);
    canvas_.dot({across(row.point.value), y}, all_.point_name + ": " + row.point.text);
    y_ += range_height;
  }

  void scale() {
    canvas_.line({ranges_left, y_}, {ranges_right, y_}, Stroke::axis);
    for (const double tick : ticks(0, most_, 5)) {
      const double x = across(tick);
      canvas_.line({x, y_}, {x, y_ + 5}, Stroke::axis);
      canvas_.text({x, y_ + 17}, tick_text(tick),
                   x > ranges_right - 20 ? Anchor::end : Anchor::middle, Ink::soft);
    }
  }

  void legend() {
    const double y = y_ + 42;
    double x = 6;
    const auto entry = [&](const std::string& name) {
      canvas_.text({x + 18, y}, name);
      x += width_of(name) + 40;
    };
    canvas_.dot({x + 6, y - 4});
    entry(all_.point_name);
    canvas_.line({x, y - 4}, {x + 12, y - 4}, Stroke::whisker);
    entry(all_.interval_name);
    if (!any_other_) return;
    canvas_.dot({x + 6, y - 4}, "", false);
    entry(all_.other_name);
  }

  const RangeRows& all_;
  Canvas canvas_;
  std::size_t shown_ = 0;
  bool any_other_ = false;
  double most_ = 0, y_ = ranges_top;
};

}  // namespace

Picture draw(const RangeRows& ranges) {
  return RangeDrawing(ranges).draw();
}

}  // namespace quintet
