#include "sim/picture/tornado.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace quintet {
namespace {

constexpr double row_height = 36, thick = 13, thin = 5, rows_top = 26, rows_left = 4,
                 rows_right = picture_width - 4;

class TornadoDrawing {
 public:
  explicit TornadoDrawing(const Tornado& all) : all_(all), canvas_(all.name) {
    shown_ = std::min(all.rows.size(), most_tornado_rows);
    low_ = high_ = all.reference.value;
    for (std::size_t i = 0; i < shown_; ++i)
      for (const auto& number : {all.rows[i].first, all.rows[i].second})
        if (number) {
          low_ = std::min(low_, number->value);
          high_ = std::max(high_, number->value);
        }
    const double margin =
        high_ > low_ ? 0.05 * (high_ - low_) : std::max(1e-9, 0.05 * std::abs(high_));
    low_ = std::max(low_ - margin, low_ >= 0 ? 0.0 : low_ - margin);
    high_ += margin;
  }

  Picture draw() {
    canvas_.text({rows_left, 14},
                 all_.reference_name + ": " + all_.reference.text + " " + all_.unit, Anchor::start,
                 Ink::strong);
    for (std::size_t i = 0; i < shown_; ++i) row(all_.rows[i]);
    scale();
    const double legend = canvas_.keys({rows_left, y_ + 38}, picture_width - 8, looks());
    return {all_.name, all_.title, description(), notes(), y_ + 44 + legend, canvas_.body()};
  }

 private:
  double across(double value) const {
    return rows_left + (rows_right - rows_left) * (value - low_) / (high_ - low_);
  }

  std::vector<std::pair<Look, std::string>> looks() const {
    std::vector<std::pair<Look, std::string>> all{{Look::sky, all_.first_name}};
    if (!all_.second_name.empty()) all.emplace_back(Look::vermillion, all_.second_name);
    return all;
  }

  std::string values(const TornadoRow& row) const {
    if (!row.first && !row.second) return row.instead;
    std::string text;
    if (row.second) text = row.second->text;
    if (row.first) text += (text.empty() ? "" : ", ") + row.first->text;
    return text;
  }

  void bar(const ShownNumber& to, double height, Look look, const std::string& tip) {
    const double from = across(all_.reference.value), end = across(to.value);
    canvas_.box({std::min(from, end), y_ + 17 + (thick - height) / 2,
                 std::max(0.5, std::abs(end - from)), height},
                look, tip, fmt::format("data-value=\"{}\"", to.exact));
  }

  void row(const TornadoRow& row) {
    const std::string text = values(row);
    canvas_.text_in(picture_width - std::min(width_of(text), picture_width / 2) - 16,
                    {rows_left, y_ + 12}, row.name);
    canvas_.text_in(picture_width / 2 + 40, {rows_right, y_ + 12}, text, Anchor::end, Ink::soft);
    canvas_.line({rows_left, y_ + 17 + thick / 2}, {rows_right, y_ + 17 + thick / 2}, Stroke::grid);
    const auto tip = [&](const std::string& name, const ShownNumber& number) {
      return row.name + ", " + name + ": " + number.text + " " + all_.unit;
    };
    if (row.first) bar(*row.first, thick, Look::sky, tip(all_.first_name, *row.first));
    if (row.second) bar(*row.second, thin, Look::vermillion, tip(all_.second_name, *row.second));
    const double x = across(all_.reference.value);
    canvas_.line({x, y_ + 15}, {x, y_ + row_height - 4}, Stroke::limit);
    y_ += row_height;
  }

  void scale() {
    canvas_.line({rows_left, y_}, {rows_right, y_}, Stroke::axis);
    for (const double tick : ticks(low_, high_, 5)) {
      const double x = across(tick);
      canvas_.line({x, y_}, {x, y_ + 5}, Stroke::axis);
      canvas_.text({x, y_ + 17}, tick_text(tick),
                   x < 20                   ? Anchor::start
                   : x > picture_width - 20 ? Anchor::end
                                            : Anchor::middle,
                   Ink::soft);
    }
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> notes;
    if (low_ > 0)
      notes.push_back(fmt::format("In {}. The axis begins at {}, not at 0.", all_.unit,
                                  fmt::format("{:.4g}", low_)));
    if (shown_ < all_.rows.size())
      notes.push_back(fmt::format("The first {} of {}; --json has all.", shown_, all_.rows.size()));
    return notes;
  }

  std::string description() const {
    std::string text = all_.reference_name + " " + all_.reference.text + " " + all_.unit + ". ";
    for (std::size_t i = 0; i < shown_; ++i)
      text += all_.rows[i].name + ": " + values(all_.rows[i]) + ". ";
    return text;
  }

  const Tornado& all_;
  Canvas canvas_;
  std::size_t shown_ = 0;
  double low_ = 0, high_ = 1, y_ = rows_top;
};

}  // namespace

Picture draw(const Tornado& tornado) {
  return TornadoDrawing(tornado).draw();
}

}  // namespace quintet
