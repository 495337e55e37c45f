// A JSON text that is one long list, alone or in an object with values beside it, from its first to
// its last byte: the list's elements, many at once, and the values, in whatever order they come.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "sim/base/result.h"
#include "traces/json_stream/json_window.h"

namespace quintet::json_stream {

struct ElementFault {
  std::size_t at = 0;  // byte of the array
  std::string what;
};

struct ListReader {
  std::string list;          // the list's key: "traceEvents"
  std::string element;       // what an element is called in messages: "event"
  std::string document;      // what the whole is: "a trace, {\"traceEvents\": [...]} or [...]"
  bool may_be_bare = false;  // without an object around it
  // Of a JSON array of some of the list's elements, with JsonWindow::padding bytes after it that
  // may be read; it may be changed.
  std::function<std::optional<ElementFault>(char* array, std::size_t size)> parse;
  std::function<std::size_t()> count;  // of elements that were parsed
  // Whether on_value is to have the value beside the list: others are read over.
  std::function<bool(std::string_view key)> wants;
  // The value is JSON.
  std::function<std::optional<Error>(const std::string& key, std::string_view value)> on_value;
};

struct ListEnd {
  // Between two elements or after the last, without what closes the list or the object: the
  // writer was killed.
  bool breaks_off = false;
};

// Fails where the text is no such thing, is cut off in the middle of an element or a value, or
// where the reader says so; with the byte.
Result<ListEnd> read_list(JsonWindow& window, const ListReader& reader);

}  // namespace quintet::json_stream
