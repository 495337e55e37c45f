#include "traces/json_stream/decimal_numbers.h"

#include <charconv>
#include <cmath>

namespace quintet::json_stream {
namespace {

bool is_digit(char character) {
  return character >= '0' && character <= '9';
}

// With an exponent it is no instant to the nanosecond any more, or so small that a double holds it.
std::optional<std::int64_t> from_double(std::string_view microseconds) {
  double value = 0;
  const char* end = microseconds.data() + microseconds.size();
  const auto [stopped, wrong] = std::from_chars(microseconds.data(), end, value);
  if (wrong != std::errc{} || stopped != end) return std::nullopt;
  const double nanoseconds = value * 1e3;
  if (!(std::abs(nanoseconds) <= static_cast<double>(most_nanoseconds))) return std::nullopt;
  return std::llround(nanoseconds);
}

}  // namespace

std::optional<std::int64_t> nanoseconds_of(std::string_view microseconds) {
  const char* at = microseconds.data();
  const char* const end = at + microseconds.size();
  const bool negative = at != end && *at == '-';
  if (negative) ++at;
  const char* const first = at;
  std::int64_t value = 0;
  for (; at != end && is_digit(*at); ++at) {
    if (value > most_nanoseconds / 10'000) return std::nullopt;
    value = 10 * value + (*at - '0');
  }
  if (at == first) return std::nullopt;
  value *= 1000;
  if (at != end && *at == '.') {
    ++at;
    for (int unit = 100; unit > 0 && at != end && is_digit(*at); unit /= 10)
      value += unit * (*at++ - '0');
    if (at != end && is_digit(*at) && at[-4] == '.') value += *at >= '5' ? 1 : 0;
    while (at != end && is_digit(*at)) ++at;
  }
  if (at != end) return *at == 'e' || *at == 'E' ? from_double(microseconds) : std::nullopt;
  return negative ? -value : value;
}

std::optional<std::int64_t> integer_of(std::string_view text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, wrong] = std::from_chars(text.data(), end, value);
  if (wrong != std::errc{} || stopped != end) return std::nullopt;
  return value;
}

}  // namespace quintet::json_stream
