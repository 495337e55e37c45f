#include "sim/picture/waterfall.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/text_table.h"

namespace quintet {

namespace {

constexpr std::size_t most_changes = 12;
constexpr double change_height = 36, change_bar = 13, changes_top = 4;

std::vector<WaterfallChange> shortened(const std::vector<WaterfallChange>& all, int decimals) {
  if (all.size() <= most_changes) return all;
  std::vector<WaterfallChange> few(all.begin(), all.begin() + most_changes - 1);
  double rest = 0;
  for (std::size_t i = few.size(); i < all.size(); ++i) rest += all[i].amount.value;
  few.push_back({fmt::format("{} other causes", all.size() - few.size()),
                 {rest, signed_fixed(rest, decimals), ""}});
  return few;
}

struct Axis {
  double low = 0, high = 1;
  double across(double value) const {
    return high > low ? (picture_width - 8) * (value - low) / (high - low) + 4 : 4;
  }
};

// From 0, unless the changes would then be less than a third of the width.
Axis axis_of(const Waterfall& all, const std::vector<WaterfallChange>& changes) {
  double at = all.from.value, low = std::min(at, all.to.value), high = std::max(at, all.to.value);
  for (const WaterfallChange& change : changes) {
    at += change.amount.value;
    low = std::min(low, at);
    high = std::max(high, at);
  }
  const double margin = 0.05 * (high - low);
  return {3 * (high - low) < high ? std::max(0.0, low - margin) : 0, high + margin};
}

class WaterfallChart {
 public:
  WaterfallChart(const Waterfall& all, int decimals)
      : all_(all),
        changes_(shortened(all.changes, decimals)),
        axis_(axis_of(all, changes_)),
        canvas_(all.name) {}

  Picture draw() {
    double at = all_.from.value;
    end_row(all_.from_name, all_.from);
    for (const WaterfallChange& change : changes_) {
      change_row(change, at);
      at += change.amount.value;
    }
    end_row(all_.to_name, all_.to);
    scale();
    return {all_.name, all_.title, description(), notes(), y_ + 22, canvas_.body()};
  }

 private:
  void label(const std::string& name, const std::string& value, Ink ink) {
    canvas_.text_in(picture_width - width_of(value) - 20, {4, y_ + 12}, name, Anchor::start, ink);
    canvas_.text({picture_width - 4, y_ + 12}, value, Anchor::end, ink);
  }

  void end_row(const std::string& name, const ShownNumber& value) {
    label(name, value.text + " " + all_.unit, Ink::strong);
    canvas_.box({axis_.across(axis_.low), y_ + 17,
                 axis_.across(value.value) - axis_.across(axis_.low), change_bar},
                Look::grey, name + ": " + value.text + " " + all_.unit,
                fmt::format("data-end=\"{}\"", value.exact));
    y_ += change_height;
  }

  void change_row(const WaterfallChange& change, double at) {
    const double to = at + change.amount.value;
    const double left = axis_.across(std::min(at, to)), right = axis_.across(std::max(at, to));
    label(change.name, change.amount.text, Ink::plain);
    canvas_.line({axis_.across(at), y_ - 6}, {axis_.across(at), y_ + 17 + change_bar},
                 Stroke::grid);
    canvas_.box({left, y_ + 17, std::max(0.5, right - left), change_bar},
                change.amount.value < 0 ? Look::blue : Look::vermillion,
                change.name + ": " + change.amount.text + " " + all_.unit,
                fmt::format("data-change=\"{}\"", change.amount.exact));
    y_ += change_height;
  }

  void scale() {
    for (const double tick : ticks(axis_.low, axis_.high, 5)) {
      const double x = axis_.across(tick);
      canvas_.line({x, y_}, {x, y_ + 5}, Stroke::axis);
      const Anchor anchor = x < 20                   ? Anchor::start
                            : x > picture_width - 20 ? Anchor::end
                                                     : Anchor::middle;
      canvas_.text({x, y_ + 17}, tick_text(tick), anchor, Ink::soft);
    }
    canvas_.line({4, y_}, {picture_width - 4, y_}, Stroke::axis);
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> notes{
        fmt::format("In {}. Striped to the right: {}; plain to the left: {}.", all_.unit,
                    all_.longer, all_.shorter)};
    if (axis_.low > 0)
      notes.push_back(fmt::format("The axis begins at {}, not at 0.", tick_text(axis_.low)));
    if (changes_.size() < all_.changes.size())
      notes.push_back(fmt::format("{} causes are drawn together; --json has each.",
                                  all_.changes.size() - changes_.size() + 1));
    return notes;
  }

  std::string description() const {
    std::string text = fmt::format("{}: {} {}", all_.from_name, all_.from.text, all_.unit);
    for (const WaterfallChange& change : changes_)
      text += "; " + change.name + " " + change.amount.text;
    return text + fmt::format("; {}: {} {}.", all_.to_name, all_.to.text, all_.unit);
  }

  const Waterfall& all_;
  std::vector<WaterfallChange> changes_;
  Axis axis_;
  Canvas canvas_;
  double y_ = changes_top;
};

}  // namespace

Picture draw(const Waterfall& waterfall, int decimals) {
  return WaterfallChart(waterfall, decimals).draw();
}

}  // namespace quintet
