#include "sim/picture/pass_grid.h"

#include <fmt/format.h>

#include <algorithm>

namespace quintet {

namespace {

constexpr double passes_left = 54, passes_right = picture_width - 52, passes_top = 6;

class PassChart {
 public:
  explicit PassChart(const PassGrid& all) : all_(all), end_(all.end), canvas_(all.name) {
    rows_ = std::min(all.rows.size(), most_pass_rows);
    row_height_ = rows_ > 8 ? 16 : 26;
    for (const DrawnPass& pass : all.passes)
      if (pass.row < rows_) passes_.push_back(&pass);
    std::stable_sort(
        passes_.begin(), passes_.end(),
        [](const DrawnPass* one, const DrawnPass* other) { return one->begin < other->begin; });
    if (passes_.size() <= most_passes) return;
    end_ = passes_[most_passes]->begin;
    passes_.resize(most_passes);
  }

  Picture draw() {
    for (std::size_t row = 0; row < rows_; ++row) {
      canvas_.text({0, y(row) + row_height_ / 2 + 2}, all_.rows[row].name);
      canvas_.empty({passes_left, y(row), passes_right - passes_left, row_height_ - 3});
      canvas_.text({picture_width, y(row) + row_height_ / 2 + 2}, all_.rows[row].note, Anchor::end,
                   Ink::soft);
    }
    for (const DrawnPass* const pass : passes_) draw_pass(*pass);
    const double bottom = y(rows_);
    scale(bottom);
    const double keys = canvas_.keys({0, bottom + 42}, picture_width, all_.keys);
    return {all_.name, all_.title, description(), notes(), bottom + 32 + keys, canvas_.body()};
  }

 private:
  double y(std::size_t row) const { return passes_top + row_height_ * static_cast<double>(row); }
  double across(double time) const {
    return end_ > 0 ? passes_left + (passes_right - passes_left) * std::min(time, end_) / end_
                    : passes_left;
  }

  void draw_pass(const DrawnPass& pass) {
    const Rectangle at{across(pass.begin), y(pass.row), across(pass.end) - across(pass.begin),
                       row_height_ - 3};
    canvas_.box(at, pass.look, pass.tip,
                fmt::format("data-pass=\"{}\" data-row=\"{}\"", pass.kind, pass.row));
    if (at.width >= width_of(pass.label) + 3 && row_height_ > 20)
      canvas_.text({at.x + at.width / 2, at.y + at.height / 2 + 4}, pass.label, Anchor::middle,
                   Ink::on);
  }

  void scale(double bottom) {
    canvas_.line({passes_left, bottom}, {passes_right, bottom}, Stroke::axis);
    for (const double tick : ticks(0, end_, 5)) {
      canvas_.line({across(tick), bottom}, {across(tick), bottom + 5}, Stroke::axis);
      canvas_.text({across(tick), bottom + 17}, tick_text(tick), Anchor::middle, Ink::soft);
    }
    canvas_.text({picture_width, bottom + 17}, all_.unit, Anchor::end, Ink::soft);
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> notes;
    if (rows_ < all_.rows.size())
      notes.push_back(fmt::format("The first {} of {} stages.", rows_, all_.rows.size()));
    if (end_ < all_.end)
      notes.push_back(fmt::format("The first {} passes: {:.6g} of {:.6g} {}; --trace has all.",
                                  passes_.size(), end_, all_.end, all_.unit));
    return notes;
  }

  std::string description() const {
    std::string text =
        fmt::format("{} passes of {} stages in {:.6g} {}.", passes_.size(), rows_, end_, all_.unit);
    for (std::size_t row = 0; row < rows_; ++row)
      if (!all_.rows[row].note.empty())
        text += " " + all_.rows[row].name + ": " + all_.rows[row].note + ".";
    return text;
  }

  const PassGrid& all_;
  double end_;
  Canvas canvas_;
  std::size_t rows_ = 0;
  double row_height_ = 0;
  std::vector<const DrawnPass*> passes_;
};

}  // namespace

Picture draw(const PassGrid& grid) {
  return PassChart(grid).draw();
}

}  // namespace quintet
