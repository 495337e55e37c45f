#include "sim/advice/evaluation.h"

#include <fmt/format.h>

namespace quintet {

std::string too_large_text(Bytes needed, Bytes capacity) {
  constexpr double gib = 1024.0 * 1024.0 * 1024.0;
  return fmt::format("needs {:.2f} of {:.2f} GiB", needed.value / gib, capacity.value / gib);
}

Outcome outcome_of(const Result<Evaluated>& evaluated) {
  if (!evaluated) return {std::nullopt, evaluated.error().text()};
  if (!fits(*evaluated))
    return {std::nullopt, too_large_text(evaluated->memory, evaluated->capacity)};
  return {evaluated->step, ""};
}

}  // namespace quintet
