// What people type for the values of a swept field.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/result.h"

namespace quintet {

inline constexpr std::size_t most_swept_values = 200;

// "1,2,4" (as behind --set, so lists in brackets are one value), "1..4" by ones, "0.2..1 by 0.2",
// "1..64 times 2", "100Gbps..400Gbps by 100Gbps". The error says what is accepted.
Result<std::vector<std::string>> swept_values(std::string_view text);

// Values as places on an axis.
struct ScaledValues {
  std::string unit;  // of all
  std::vector<double> numbers;
};

// Numbers with the same unit, or none, are drawn to scale; nothing where they are words, or so
// uneven (1, 2, 4, ... 64) that even distances show more.
std::optional<ScaledValues> to_scale(const std::vector<std::string>& values);

}  // namespace quintet
