// Text of a trace, piece by piece, into a buffer that empties itself into a stream: a trace is
// hundreds of megabytes, and neither a document tree nor formatted streams are fast enough.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include "sim/base/units.h"

namespace quintet {

// A JSON string with its quotation marks.
std::string json_string(std::string_view text);
// The shortest decimal without exponent that reads back equal.
std::string decimal(Bytes size);

class TraceText {
 public:
  explicit TraceText(std::ostream& out);
  ~TraceText();
  TraceText(const TraceText&) = delete;
  TraceText& operator=(const TraceText&) = delete;

  TraceText& operator<<(std::string_view text);
  TraceText& operator<<(std::int64_t number);
  TraceText& operator<<(std::int32_t number) { return *this << std::int64_t{number}; }
  TraceText& operator<<(Duration time);  // microseconds with 6 decimals: picoseconds
  TraceText& operator<<(Instant time) { return *this << (time - Instant{}); }

 private:
  std::ostream& out_;
  std::string buffer_;
};

}  // namespace quintet
