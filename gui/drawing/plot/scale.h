// Where values lie on a line of pixels, with round numbers beside it.
#pragma once

#include <QString>
#include <span>
#include <vector>

namespace quintet::gui {

struct ValueRange {
  double low = 0.0, high = 1.0;
  bool operator==(const ValueRange&) const = default;
};

// From a round number below the least value to one above the greatest, in at most so many steps
// more than `most`; with 0 where asked for. Of nothing: 0 to 1; of one value: about it.
ValueRange round_range(std::span<const double> values, bool from_zero, int most);

// The round distance of values in it that leaves at most so many steps and a few.
double round_step(double low, double high, int most);

struct Scale {
  ValueRange values;
  double from = 0.0, to = 1.0;  // pixels of `low` and `high`; `to` may be the smaller

  double at(double value) const;
  double value_at(double pixel) const;  // the inverse
};

// What stands at ticks: "1,200", "0.05", "2.5e+09": all as exact as their distance asks for.
std::vector<QString> tick_texts(std::span<const double> ticks);
// "1,234.5": at most so many significant digits.
QString number_text(double value, int digits = 5);

}  // namespace quintet::gui
