#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "sim/timeline/chrome_trace/trace_records.h"

namespace quintet {
namespace {

std::string shown(const Scalar& value) {
  switch (value.kind) {
    case ScalarKind::integer:
      return fmt::to_string(value.integer);
    case ScalarKind::decimal:
      return value.text.substr(0, 40);
    case ScalarKind::text:
      return '"' + value.text.substr(0, 40) + '"';
    case ScalarKind::other:
      return "true, false or null";
  }
  return {};
}

// "-12.345" -> -12345000 picoseconds. A trace's double would lose picoseconds after 2.5 hours.
std::optional<Duration> exact_microseconds(std::string_view text) {
  constexpr int digits_of_picoseconds = 6;
  const bool negative = !text.empty() && text.front() == '-';
  if (negative) text.remove_prefix(1);
  const std::size_t point = std::min(text.find('.'), text.size());
  std::string digits(text.substr(0, point));
  std::string_view fraction = text.substr(std::min(point + 1, text.size()));
  while (fraction.size() > digits_of_picoseconds && fraction.back() == '0')
    fraction.remove_suffix(1);
  if (fraction.size() > digits_of_picoseconds) return std::nullopt;
  digits.append(fraction).append(digits_of_picoseconds - fraction.size(), '0');
  if (negative) digits.insert(digits.begin(), '-');
  std::int64_t picoseconds = 0;
  const char* last = digits.data() + digits.size();
  const auto [end, failed] = std::from_chars(digits.data(), last, picoseconds);
  if (failed != std::errc{} || end != last) return std::nullopt;
  return Duration{picoseconds};
}

}  // namespace

void TraceRecord::begin(std::string section, std::int64_t index) {
  section_ = std::move(section);
  index_ = index;
  fields_.clear();
}

void TraceRecord::add(std::string_view key, FieldOf of, Scalar value) {
  fields_.push_back({std::string(key), of, std::move(value)});
}

const Scalar* TraceRecord::find(std::string_view key, FieldOf of) const {
  for (const Field& field : fields_)
    if (field.of == of && field.key == key) return &field.value;
  return nullptr;
}

void TraceRecord::fail(std::string_view key, const std::string& what) {
  if (error_) return;
  const std::string element = index_ >= 0 ? fmt::format("[{}]", index_) : "";
  error_ = Error{fmt::format("{}: {}{}.{}", where_, section_, element, key), what};
}

std::string_view TraceRecord::text(std::string_view key, FieldOf of) {
  const Scalar* value = find(key, of);
  if (value != nullptr && value->kind == ScalarKind::text) return value->text;
  fail(key, value, "a text");
  return {};
}

void TraceRecord::fail(std::string_view key, const Scalar* found, const std::string& accepted) {
  fail(key, found == nullptr ? "missing; expected " + accepted
                             : "expected " + accepted + ", found " + shown(*found));
}

std::int64_t TraceRecord::integer_within(std::string_view key, FieldOf of, std::int64_t least,
                                         std::int64_t most) {
  const Scalar* value = find(key, of);
  const bool fits = value != nullptr && value->kind == ScalarKind::integer &&
                    value->integer >= least && value->integer <= most;
  if (fits) return value->integer;
  fail(key, value, fmt::format("an integer from {} to {}", least, most));
  return 0;
}

Duration TraceRecord::microseconds(std::string_view key, FieldOf of) {
  const Scalar* value = find(key, of);
  std::optional<Duration> time;
  if (value != nullptr && value->kind == ScalarKind::integer)
    time = exact_microseconds(fmt::to_string(value->integer));
  if (value != nullptr && value->kind == ScalarKind::decimal)
    time = exact_microseconds(value->text);
  if (time) return *time;
  fail(key, value, "microseconds with at most 6 decimals");
  return {};
}

Duration TraceRecord::microseconds_or(std::string_view key, Duration fallback) {
  return find(key, FieldOf::arguments) == nullptr ? fallback
                                                  : microseconds(key, FieldOf::arguments);
}

Bytes TraceRecord::bytes(std::string_view key) {
  const Scalar* value = find(key, FieldOf::object);
  if (value != nullptr && value->kind == ScalarKind::integer)
    return {static_cast<double>(value->integer)};
  Bytes size;
  if (value != nullptr && value->kind == ScalarKind::decimal) {
    const char* last = value->text.data() + value->text.size();
    const auto [end, failed] = std::from_chars(value->text.data(), last, size.value);
    if (failed == std::errc{} && end == last && std::isfinite(size.value)) return size;
  }
  fail(key, value, "a number of bytes");
  return {};
}

}  // namespace quintet
