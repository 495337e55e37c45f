// Columns of text for a terminal: the first column to the left, the others to the right.
#pragma once

#include <string>
#include <vector>

#include "sim/base/units.h"

namespace quintet {

using TextRow = std::vector<std::string>;

// One line per row, two blanks between columns, none at the end of a line.
std::string aligned(const std::vector<TextRow>& rows);

// printf's "%.*f", with '.' as the decimal point in every locale.
std::string fixed(double value, int decimals);
std::string signed_fixed(double value, int decimals);  // with + or -
// "12.3", for a column that names the unit, and "12.3 %".
std::string hundredths(double share, int decimals = 1);
std::string percent(double share, int decimals = 1);
// Decimals that leave five or more significant digits of `largest` and its parts.
int decimals_for(double largest);

template <class T>
struct Named {
  std::string name;
  T value;
};

}  // namespace quintet
