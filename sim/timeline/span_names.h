// Words for the enumerations of a timeline in files, and back.
#pragma once

#include <optional>
#include <string_view>

#include "sim/timeline/timeline.h"

namespace quintet {

std::string_view name_of(SpanKind kind);

// The enumerator with this name among 0 .. last.
template <class Enum>
std::optional<Enum> named(std::string_view name, Enum last) {
  for (int value = 0; value <= static_cast<int>(last); ++value)
    if (name_of(static_cast<Enum>(value)) == name) return static_cast<Enum>(value);
  return std::nullopt;
}

inline constexpr SpanKind last_span_kind = SpanKind::host;
inline constexpr OperatorKind last_operator_kind = OperatorKind::stage_total;
inline constexpr Phase last_phase = Phase::update;
inline constexpr Axis last_axis = Axis::pipeline;

}  // namespace quintet
