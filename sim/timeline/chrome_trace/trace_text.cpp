#include "sim/timeline/chrome_trace/trace_text.h"

#include <array>
#include <cassert>
#include <charconv>
#include <cmath>

#include "sim/json/json_value.h"

namespace quintet {
namespace {

constexpr std::size_t full_buffer = 1 << 20;

}  // namespace

std::string json_string(std::string_view text) {
  return JsonValue(text).dump();
}

TraceText::TraceText(std::ostream& out) : out_(out) {
  buffer_.reserve(full_buffer + 4096);
}

TraceText::~TraceText() {
  out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
}

TraceText& TraceText::operator<<(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() < full_buffer) return *this;
  out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  buffer_.clear();
  return *this;
}

TraceText& TraceText::operator<<(std::int64_t number) {
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  buffer_.append(digits.data(), end);
  return *this;
}

std::string decimal(Bytes size) {
  assert(std::isfinite(size.value));
  std::array<char, 400> digits;  // the longest double has 326
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), size.value,
                                 std::chars_format::fixed)
                       .ptr;
  return {digits.data(), end};
}

TraceText& TraceText::operator<<(Duration time) {
  constexpr std::uint64_t per_microsecond = 1'000'000;
  const auto unsigned_time = static_cast<std::uint64_t>(time.picoseconds);
  const std::uint64_t size = time < Duration{} ? 0 - unsigned_time : unsigned_time;
  std::array<char, 32> digits;
  char* end = digits.data();
  if (time < Duration{}) *end++ = '-';
  end = std::to_chars(end, digits.data() + digits.size(), size / per_microsecond).ptr;
  *end++ = '.';
  std::uint64_t rest = size % per_microsecond;
  for (char* digit = end + 5; digit >= end; --digit, rest /= 10)
    *digit = static_cast<char>('0' + rest % 10);
  buffer_.append(digits.data(), end + 6);
  return *this;
}

}  // namespace quintet
