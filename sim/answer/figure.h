// The figures by which answers of many plans are drawn and compared: those that `quintet simulate`
// prints of each.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/answer/answer.h"

namespace quintet {

enum class Figure { step, mfu, memory, cost, energy };
inline constexpr int figure_count = 5;

std::string_view name_of(Figure figure);     // "step"
std::string_view unit_of(Figure figure);     // "ms", "%", "GiB", "$", "kJ"
std::string_view meaning_of(Figure figure);  // a definition
constexpr bool less_is_better(Figure figure) {
  return figure != Figure::mfu;
}

// In its unit; none where it is not known.
std::optional<double> value_of(const Answer& answer, Figure figure);
// "8761.1", without its unit; "-" where it is not known.
std::string number_text(std::optional<double> value, Figure figure);

}  // namespace quintet
