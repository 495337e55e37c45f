#include "sim/picture/stacked_bars.h"

#include <fmt/format.h>

#include <algorithm>

namespace quintet {

namespace {

constexpr std::size_t most_bars = 5;
constexpr double names_width = 150, bars_top = 26, bars_height = 200, bars_line = 18;

class StackedChart {
 public:
  explicit StackedChart(const StackedBars& all) : all_(all), canvas_(all.name) {
    shown_ = std::min(all.bars.size(), most_bars);
    for (std::size_t bar = 0; bar < shown_; ++bar) {
      const StackedBar& each = all.bars[bar];
      most_ = std::max({most_, each.whole.value, each.interval ? each.interval->second.value : 0});
    }
    column_ = (picture_width - names_width) / static_cast<double>(std::max<std::size_t>(1, shown_));
  }

  Picture draw() {
    axis();
    for (std::size_t bar = 0; bar < shown_; ++bar) draw_bar(bar);
    const double height = values();
    Picture picture{all_.name, all_.title, description(), {}, height, canvas_.body()};
    if (shown_ < all_.bars.size())
      picture.notes.push_back(
          fmt::format("The first {} of {}; --json has all.", shown_, all_.bars.size()));
    return picture;
  }

 private:
  double height_of(double value) const { return most_ > 0 ? bars_height * value / most_ : 0; }
  double up(double value) const { return bars_top + bars_height - height_of(value); }
  double middle(std::size_t bar) const {
    return names_width + column_ * (static_cast<double>(bar) + 0.5);
  }

  void axis() {
    canvas_.text({0, 12}, all_.unit, Anchor::start, Ink::soft);
    for (const double tick : ticks(0, most_, 5)) {
      canvas_.line({names_width - 6, up(tick)}, {picture_width, up(tick)}, Stroke::grid);
      canvas_.text({names_width - 10, up(tick) + 4}, tick_text(tick), Anchor::end, Ink::soft);
    }
  }

  void draw_bar(std::size_t number) {
    const StackedBar& bar = all_.bars[number];
    const double width = std::min(72.0, 0.6 * column_), left = middle(number) - width / 2;
    double below = 0;
    for (std::size_t part = 0; part < all_.parts.size(); ++part) {
      const ShownNumber& value = bar.parts[part];
      if (value.value <= 0) continue;
      below += value.value;
      canvas_.box({left, up(below), width, height_of(value.value)}, all_.parts[part].look,
                  bar.name + ", " + all_.parts[part].name + ": " + value.text,
                  fmt::format("data-bar=\"{}\" data-value=\"{}\"", number, value.exact));
    }
    if (bar.interval) whisker(bar, middle(number));
  }

  void whisker(const StackedBar& bar, double x) {
    const double low = up(bar.interval->first.value), high = up(bar.interval->second.value);
    canvas_.line({x, low}, {x, high}, Stroke::whisker);
    for (const double y : {low, high}) canvas_.line({x - 8, y}, {x + 8, y}, Stroke::whisker);
  }

  bool is_nothing(std::size_t part) const {
    return std::all_of(all_.bars.begin(), all_.bars.end(),
                       [&](const StackedBar& bar) { return bar.parts[part].value <= 0; });
  }

  // A table in the bars' columns; returns where it ends.
  double values() {
    double y = bars_top + bars_height + bars_line;
    for (std::size_t bar = 0; bar < shown_; ++bar)
      canvas_.text_in(column_ - 6, {middle(bar), y}, all_.bars[bar].name, Anchor::middle,
                      Ink::strong);
    for (std::size_t part = all_.parts.size(); part-- > 0;) {
      if (is_nothing(part)) continue;
      y += bars_line;
      canvas_.key({0, y}, all_.parts[part].look, all_.parts[part].name);
      row(y, Ink::plain, [&](const StackedBar& bar) { return bar.parts[part].text; });
    }
    y += bars_line;
    canvas_.text({17, y}, all_.wholes, Anchor::start, Ink::strong);
    row(y, Ink::strong, [](const StackedBar& bar) { return bar.whole.text; });
    return intervals(y) + 8;
  }

  double intervals(double y) {
    const bool any = std::any_of(all_.bars.begin(), all_.bars.end(),
                                 [](const StackedBar& bar) { return bar.interval.has_value(); });
    if (!any) return y;
    const auto line = [&](const char* name, auto side) {
      y += bars_line;
      canvas_.text({17, y}, name, Anchor::start, Ink::soft);
      row(y, Ink::soft, [&](const StackedBar& bar) {
        return bar.interval ? (*bar.interval).*side : ShownNumber{0, "not known", ""};
      });
    };
    line("90 % from", &std::pair<ShownNumber, ShownNumber>::first);
    line("to", &std::pair<ShownNumber, ShownNumber>::second);
    return y;
  }

  template <class Text>
  void row(double y, Ink ink, Text text) {
    for (std::size_t bar = 0; bar < shown_; ++bar) {
      if constexpr (std::is_same_v<decltype(text(all_.bars[bar])), std::string>)
        canvas_.text({middle(bar), y}, text(all_.bars[bar]), Anchor::middle, ink);
      else
        canvas_.text({middle(bar), y}, text(all_.bars[bar]).text, Anchor::middle, ink);
    }
  }

  std::string description() const {
    std::string text;
    for (std::size_t bar = 0; bar < shown_; ++bar) {
      const StackedBar& each = all_.bars[bar];
      text +=
          fmt::format("{}{}: {} {}", bar == 0 ? "" : ". ", each.name, each.whole.text, all_.unit);
      for (std::size_t part = 0; part < all_.parts.size(); ++part)
        if (each.parts[part].value > 0)
          text += ", " + all_.parts[part].name + " " + each.parts[part].text;
    }
    return text + ".";
  }

  const StackedBars& all_;
  Canvas canvas_;
  std::size_t shown_ = 0;
  double most_ = 0, column_ = 0;
};

}  // namespace

Picture draw(const StackedBars& bars) {
  return StackedChart(bars).draw();
}

}  // namespace quintet
