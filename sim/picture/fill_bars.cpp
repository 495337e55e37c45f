#include "sim/picture/fill_bars.h"

#include <fmt/format.h>

#include <algorithm>

namespace quintet {

namespace {

constexpr double fill_height = 36, fill_bar = 14, fill_left = 2, fill_right = picture_width - 2;

class FillChart {
 public:
  explicit FillChart(const FillBars& all) : all_(all), canvas_(all.name) {
    shown_ = std::min(all.bars.size(), most_fill_bars);
    if (all.limit) most_ = all.limit->value;
    for (std::size_t bar = 0; bar < shown_; ++bar)
      most_ = std::max(most_, all.bars[bar].whole.value);
  }

  Picture draw() {
    y_ = all_.limit ? 20 : 4;
    for (std::size_t bar = 0; bar < shown_; ++bar) draw_bar(all_.bars[bar], bar);
    if (all_.limit) limit();
    scale();
    std::vector<std::pair<Look, std::string>> keys;
    for (const BarPart& part : all_.parts) keys.emplace_back(part.look, part.name);
    const double height = y_ + 32 + canvas_.keys({0, y_ + 42}, picture_width, keys);
    Picture picture{all_.name, all_.title, description(), {}, height, canvas_.body()};
    if (shown_ < all_.bars.size())
      picture.notes.push_back(
          fmt::format("The first {} of {}; --json has all.", shown_, all_.bars.size()));
    return picture;
  }

 private:
  double across(double value) const {
    return most_ > 0 ? fill_left + (fill_right - fill_left) * value / most_ : fill_left;
  }

  void draw_bar(const StackedBar& bar, std::size_t number) {
    const std::string value = bar.whole.text + " " + all_.unit;
    canvas_.text_in(picture_width - width_of(value) - 12, {fill_left, y_ + 12}, bar.name);
    canvas_.text({fill_right, y_ + 12}, value, Anchor::end);
    double before = 0;
    for (std::size_t part = 0; part < all_.parts.size(); ++part) {
      const ShownNumber& each = bar.parts[part];
      if (each.value <= 0) continue;
      canvas_.box({across(before), y_ + 17, across(before + each.value) - across(before), fill_bar},
                  all_.parts[part].look,
                  bar.name + ", " + all_.parts[part].name + ": " + each.text + " " + all_.unit,
                  fmt::format("data-bar=\"{}\" data-value=\"{}\"", number, each.exact));
      before += each.value;
    }
    y_ += fill_height;
  }

  void limit() {
    const double x = across(all_.limit->value);
    canvas_.line({x, 14}, {x, y_}, Stroke::limit);
    const std::string name = all_.limit_name + " " + all_.limit->text + " " + all_.unit;
    canvas_.text({x, 11}, name, x < width_of(name) ? Anchor::start : Anchor::end, Ink::strong);
  }

  void scale() {
    canvas_.line({fill_left, y_}, {fill_right, y_}, Stroke::axis);
    for (const double tick : ticks(0, most_, 5)) {
      const double x = across(tick);
      canvas_.line({x, y_}, {x, y_ + 5}, Stroke::axis);
      const Anchor anchor = x < 12                ? Anchor::start
                            : x > fill_right - 12 ? Anchor::end
                                                  : Anchor::middle;
      canvas_.text({x, y_ + 17}, tick_text(tick), anchor, Ink::soft);
    }
  }

  std::string description() const {
    std::string text;
    for (std::size_t bar = 0; bar < shown_; ++bar)
      text += all_.bars[bar].name + ": " + all_.bars[bar].whole.text + " " + all_.unit + ". ";
    if (all_.limit) text += all_.limit_name + ": " + all_.limit->text + " " + all_.unit + ".";
    return text;
  }

  const FillBars& all_;
  Canvas canvas_;
  std::size_t shown_ = 0;
  double most_ = 0, y_ = 4;
};

}  // namespace

Picture draw(const FillBars& bars) {
  return FillChart(bars).draw();
}

}  // namespace quintet
