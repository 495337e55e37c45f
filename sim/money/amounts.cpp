#include "sim/money/amounts.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "sim/base/shown_text.h"

namespace quintet {

Result<Dollars> parse_dollars(std::string_view text) {
  const Error wrong{"",
                    "expected an amount of money such as \"25000 $\" (units: $, k$, M$), found " +
                        in_quotes(text)};
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, failure] = std::from_chars(text.data(), end, number);
  if (failure != std::errc{}) return wrong;
  std::string_view unit(stopped, static_cast<std::size_t>(end - stopped));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  const double scale = unit == "$" ? 1 : unit == "k$" ? 1e3 : unit == "M$" ? 1e6 : 0;
  if (scale == 0 || !std::isfinite(number * scale) || number < 0) return wrong;
  return Dollars{number * scale};
}

std::string text(Dollars amount) {
  return fmt::format("{} $", amount.value);
}

}  // namespace quintet
