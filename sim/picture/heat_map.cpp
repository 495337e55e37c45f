#include "sim/picture/heat_map.h"

#include <fmt/format.h>

#include <algorithm>

namespace quintet {

namespace {

constexpr double map_left = 92, map_top = 44, cell_height = 26;

class HeatDrawing {
 public:
  explicit HeatDrawing(const HeatMap& all) : all_(all), canvas_(all.name) {
    rows_ = std::min(all.rows.size(), most_heat_rows);
    columns_ = std::min(all.columns.size(), most_heat_columns);
    width_ = (picture_width - map_left) / static_cast<double>(std::max<std::size_t>(1, columns_));
    bool first = true;
    each_cell([&](std::size_t, std::size_t, const HeatCell& cell) {
      if (!cell.value) return;
      low_ = first ? cell.value->value : std::min(low_, cell.value->value);
      high_ = first ? cell.value->value : std::max(high_, cell.value->value);
      first = false;
    });
  }

  Picture draw() {
    heads();
    each_cell([&](std::size_t row, std::size_t column, const HeatCell& cell) {
      draw_cell(row, column, cell);
    });
    if (all_.best && all_.best->first < rows_ && all_.best->second < columns_)
      canvas_.outline(place(all_.best->first, all_.best->second));
    Picture picture{all_.name, all_.title, description(), {}, bottom(), canvas_.body()};
    if (rows_ < all_.rows.size() || columns_ < all_.columns.size())
      picture.notes.push_back(
          fmt::format("The first {} of {} rows and {} of {} columns; --json has all.", rows_,
                      all_.rows.size(), columns_, all_.columns.size()));
    if (!all_.brackets_mean.empty())
      picture.notes.push_back("In brackets: " + all_.brackets_mean + ".");
    return picture;
  }

 private:
  template <class Do>
  void each_cell(Do action) const {
    for (std::size_t row = 0; row < rows_; ++row)
      for (std::size_t column = 0; column < columns_; ++column)
        action(row, column, all_.cells[row][column]);
  }

  Rectangle place(std::size_t row, std::size_t column) const {
    return {map_left + width_ * static_cast<double>(column),
            map_top + cell_height * static_cast<double>(row), width_, cell_height};
  }
  double bottom() const { return map_top + cell_height * static_cast<double>(rows_) + 6; }

  void heads() {
    canvas_.text({0, 12}, all_.unit, Anchor::start, Ink::soft);
    canvas_.text({(map_left + picture_width) / 2, 12}, all_.across, Anchor::middle, Ink::strong);
    canvas_.text_in(map_left - 8, {0, map_top - 8}, all_.down, Anchor::start, Ink::strong);
    for (std::size_t column = 0; column < columns_; ++column) {
      const Rectangle at = place(0, column);
      canvas_.text_in(width_ - 4, {at.x + at.width / 2, map_top - 8}, all_.columns[column],
                      Anchor::middle);
    }
    for (std::size_t row = 0; row < rows_; ++row)
      canvas_.text_in(map_left - 8, {0, place(row, 0).y + 17}, all_.rows[row]);
  }

  void draw_cell(std::size_t row, std::size_t column, const HeatCell& cell) {
    const Rectangle at = place(row, column);
    const std::string what =
        fmt::format("{} {}, {} {}: ", all_.down, all_.rows[row], all_.across, all_.columns[column]);
    if (!cell.value) {
      canvas_.empty(at, what + cell.tip);
      return;
    }
    const double share = high_ > low_ ? (cell.value->value - low_) / (high_ - low_) : 0;
    canvas_.shade(at, share, what + cell.value->text + (cell.tip.empty() ? "" : ", " + cell.tip),
                  "data-value=\"" + cell.value->exact + "\"");
    const std::string text = cell.usual ? cell.value->text : "(" + cell.value->text + ")";
    canvas_.text_in(width_ - 2, {at.x + at.width / 2, at.y + 17}, text, Anchor::middle,
                    Ink::shaded);
  }

  std::string description() const {
    std::string text;
    each_cell([&](std::size_t row, std::size_t column, const HeatCell& cell) {
      text += fmt::format("{} and {}: {}. ", all_.rows[row], all_.columns[column],
                          cell.value ? cell.value->text : cell.tip);
    });
    return text;
  }

  const HeatMap& all_;
  Canvas canvas_;
  std::size_t rows_ = 0, columns_ = 0;
  double low_ = 0, high_ = 0, width_ = 0;
};

}  // namespace

Picture draw(const HeatMap& map) {
  return HeatDrawing(map).draw();
}

}  // namespace quintet
