#include "sim/base/text_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace quintet {

std::string aligned(const std::vector<TextRow>& rows) {
  std::vector<std::size_t> widths;
  for (const TextRow& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const TextRow& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string blanks(widths[i] - row[i].size(), ' ');
      line += i == 0 ? row[i] + blanks : "  " + blanks + row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string fixed(double value, int decimals) {
  std::array<char, 400> digits;
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), value,
                                     std::chars_format::fixed, decimals);
  std::string text(digits.data(), written.ptr);
  // "-0.00" says nothing that "0.00" does not.
  const bool is_zero = text.find_first_not_of("-0.") == std::string::npos;
  return is_zero && text.front() == '-' ? text.substr(1) : text;
}

std::string signed_fixed(double value, int decimals) {
  const std::string text = fixed(value, decimals);
  return text.front() == '-' ? text : "+" + text;
}

std::string hundredths(double share, int decimals) {
  return fixed(100 * share, decimals);
}

std::string percent(double share, int decimals) {
  return hundredths(share, decimals) + " %";
}

int decimals_for(double largest) {
  if (!(std::abs(largest) > 0.0)) return 1;
  return std::clamp(3 - static_cast<int>(std::floor(std::log10(std::abs(largest)))), 1, 6);
}

}  // namespace quintet
