// A trace file as a sequence of flat records, without a document tree: a trace of a few hundred
// thousand spans would need gigabytes as one.
//   { "quintet": {...},            record of section "quintet"
//     "traceEvents": [{...}] }     one record of section "traceEvents" per element
// A record keeps the scalars of its object and of the object's "args"; deeper things are skipped.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/result.h"
#include "sim/base/units.h"
#include "sim/timeline/reading_progress.h"

namespace quintet {

enum class ScalarKind { integer, decimal, text, other };

struct Scalar {
  ScalarKind kind = ScalarKind::other;  // other: true, false, null
  std::int64_t integer = 0;
  std::string text;  // of text and decimal: as written in the file
};

enum class FieldOf { object, arguments };

class TraceRecord {
 public:
  explicit TraceRecord(const std::string& where) : where_(where) {}

  const std::string& section() const { return section_; }
  const Scalar* find(std::string_view key, FieldOf of) const;
  bool failed() const { return error_.has_value(); }
  const std::optional<Error>& error() const { return error_; }

  // Required fields; the first that is missing or wrong is kept as the error of the record.
  std::string_view text(std::string_view key, FieldOf of = FieldOf::object);
  template <class Integer>
  Integer integer(std::string_view key, FieldOf of = FieldOf::object);
  Duration microseconds(std::string_view key, FieldOf of = FieldOf::object);
  Bytes bytes(std::string_view key);
  // Optional arguments.
  template <class Integer>
  Integer argument_or(std::string_view key, Integer fallback);
  Duration microseconds_or(std::string_view key, Duration fallback);
  void fail(std::string_view key, const std::string& what);

  // For the one who fills it.
  void begin(std::string section, std::int64_t index);
  void add(std::string_view key, FieldOf of, Scalar value);

 private:
  struct Field {
    std::string key;
    FieldOf of = FieldOf::object;
    Scalar value;
  };
  void fail(std::string_view key, const Scalar* found, const std::string& accepted);
  std::int64_t integer_within(std::string_view key, FieldOf of, std::int64_t least,
                              std::int64_t most);

  const std::string& where_;
  std::string section_;
  std::int64_t index_ = -1;
  std::vector<Field> fields_;
  std::optional<Error> error_;
};

template <class Integer>
Integer TraceRecord::integer(std::string_view key, FieldOf of) {
  return static_cast<Integer>(integer_within(key, of, std::numeric_limits<Integer>::min(),
                                             std::numeric_limits<Integer>::max()));
}

template <class Integer>
Integer TraceRecord::argument_or(std::string_view key, Integer fallback) {
  return find(key, FieldOf::arguments) == nullptr ? fallback
                                                  : integer<Integer>(key, FieldOf::arguments);
}

// Hands every record to `take`; ends with the first record that failed, or with what is wrong with
// the JSON. Throws only what `progress` does.
std::optional<Error> read_records(const std::string& text, const std::string& where,
                                  const std::function<void(TraceRecord&)>& take,
                                  const ReadingProgress& progress = {});

}  // namespace quintet
