// Numbers as they stand in the file: microseconds since 1970 with three decimals have 19 digits, a
// double holds 15 to 17.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace quintet::json_stream {

// "4458676522690.655" -> 4458676522690655: to the nanosecond, further decimals rounded. Nothing: no
// number, or more than `most_nanoseconds` from zero.
std::optional<std::int64_t> nanoseconds_of(std::string_view microseconds);
inline constexpr std::int64_t most_nanoseconds = std::int64_t{1} << 61;  // 73 years

// Nothing: no whole number, or none that 64 bits hold.
std::optional<std::int64_t> integer_of(std::string_view text);

}  // namespace quintet::json_stream
