#include "sim/timeline/chrome_trace/trace_records.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>

#include <nlohmann/json.hpp>

#include "sim/base/text_file.h"

namespace quintet {
namespace {

constexpr std::size_t deepest = 64;  // deeper is rubbish, and would only fill memory

enum class Container { object, array };

// Follows the parser and keeps the scalars that belong to a record.
class RecordCollector : public nlohmann::json_sax<nlohmann::json> {
 public:
  RecordCollector(const std::string& where, const std::function<void(TraceRecord&)>& take)
      : where_(where), take_(take), record_(where) {}

  const std::optional<Error>& error() const { return error_; }

  bool null() override { return scalar({}); }
  bool boolean(bool) override { return scalar({}); }
  bool number_integer(number_integer_t value) override {
    return scalar({ScalarKind::integer, value, {}});
  }
  bool number_unsigned(number_unsigned_t value) override {
    const bool fits = value <= static_cast<std::uint64_t>(INT64_MAX);
    return scalar(fits ? Scalar{ScalarKind::integer, static_cast<std::int64_t>(value), {}}
                       : Scalar{ScalarKind::decimal, 0, fmt::to_string(value)});
  }
  bool number_float(number_float_t, const string_t& text) override {
    return scalar({ScalarKind::decimal, 0, text});
  }
  bool string(string_t& text) override { return scalar({ScalarKind::text, 0, std::move(text)}); }
  bool binary(binary_t&) override { return false; }  // never in JSON text
  bool key(string_t& key) override {
    key_ = std::move(key);
    if (open_.size() == 1) section_ = key_;
    if (open_.size() == record_depth_) object_key_ = key_;
    return true;
  }
  bool start_object(std::size_t) override;
  bool start_array(std::size_t) override {
    if (open_.size() == 1) elements_ = 0;
    return open(Container::array);
  }
  bool end_object() override;
  bool end_array() override {
    open_.pop_back();
    return true;
  }
  bool parse_error(std::size_t, const std::string&,
                   const nlohmann::json::exception& error) override {
    // Its text begins with an identifier: "[json.exception.parse_error.101] parse error at ...".
    const std::string text = error.what();
    const std::size_t identifier_end = text.find("] ");
    return fail("not JSON: " +
                text.substr(identifier_end == std::string::npos ? 0 : identifier_end + 2));
  }

 private:
  bool fail(const std::string& what) {
    if (!error_) error_ = Error{where_, what};
    return false;
  }
  bool open(Container container) {
    if (open_.empty() && container == Container::array)
      return fail("expected an object with traceEvents, found an array");
    open_.push_back(container);
    return open_.size() <= deepest || fail(fmt::format("nested deeper than {} levels", deepest));
  }
  // All that are read but "quintet" are lists.
  bool must_be_a_list() const {
    return open_.size() == 1 && (section_ == "traceEvents" || section_ == "quintetLanes" ||
                                 section_ == "quintetTracks" || section_ == "quintetInfos");
  }
  bool fail_list(const char* found) {
    return fail(fmt::format("{}: expected a list, found {}", section_, found));
  }
  // A section that is an object, or an element of a section that is an array.
  bool record_begins() const {
    return open_.size() == 1 || (open_.size() == 2 && open_[1] == Container::array);
  }
  bool scalar(Scalar value);

  const std::string& where_;
  const std::function<void(TraceRecord&)>& take_;
  TraceRecord record_;
  std::optional<Error> error_;
  std::vector<Container> open_;
  std::string key_, section_, object_key_;
  std::size_t record_depth_ = 0;  // containers open inside the record's object; 0: in no record
  std::int64_t elements_ = 0;
};

bool RecordCollector::start_object(std::size_t) {
  if (must_be_a_list()) return fail_list("an object");
  if (record_depth_ == 0 && record_begins()) {
    record_.begin(section_, open_.size() == 1 ? -1 : elements_++);
    record_depth_ = open_.size() + 1;
  }
  return open(Container::object);
}

bool RecordCollector::end_object() {
  const bool record_ends = record_depth_ != 0 && open_.size() == record_depth_;
  open_.pop_back();
  if (!record_ends) return true;
  record_depth_ = 0;
  take_(record_);
  if (record_.failed()) error_ = record_.error();
  return !record_.failed();
}

bool RecordCollector::scalar(Scalar value) {
  if (open_.empty()) return fail("expected an object with traceEvents, found a single value");
  if (must_be_a_list()) return fail_list("a single value");
  if (section_ == "quintet" && open_.size() == 1)
    return fail("quintet: expected an object, found a single value");
  if (record_depth_ == 0) return true;
  if (open_.size() == record_depth_)
    record_.add(key_, FieldOf::object, std::move(value));
  else if (open_.size() == record_depth_ + 1 && open_.back() == Container::object &&
           object_key_ == "args")
    record_.add(key_, FieldOf::arguments, std::move(value));
  return true;
}

// A text that tells how far it is read, every so many bytes.
class ToldText {
 public:
  ToldText(const std::string& text, const ReadingProgress& progress)
      : text_(text), progress_(progress) {}

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    Iterator(const ToldText& of, const char* at) : of_(&of), at_(at) {}
    reference operator*() const { return *at_; }
    Iterator& operator++() {
      ++at_;
      if ((reinterpret_cast<std::uintptr_t>(at_) & (every - 1)) == 0) of_->tell(at_);
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    static constexpr std::uintptr_t every = 1 << 16;
    const ToldText* of_;
    const char* at_;
  };

  Iterator begin() const { return {*this, text_.data()}; }
  Iterator end() const { return {*this, text_.data() + text_.size()}; }

 private:
  void tell(const char* at) const {
    if (progress_) progress_(static_cast<std::size_t>(at - text_.data()), text_.size());
  }

  const std::string& text_;
  const ReadingProgress& progress_;
};

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

std::optional<Error> read_records(const std::string& text, const std::string& where,
                                  const std::function<void(TraceRecord&)>& take,
                                  const ReadingProgress& progress) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    return Error{where, "is empty, expected JSON"};
  if (auto wrong = other_encoding(text, where)) return wrong;
  RecordCollector collector(where, take);
  const ToldText told(text, progress);
  const bool read = nlohmann::json::sax_parse(told.begin(), told.end(), &collector);
  if (read || collector.error()) return collector.error();
  return Error{where, "not JSON"};
}

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
