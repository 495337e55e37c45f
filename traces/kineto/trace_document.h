// A trace file from its first to its last byte: the events of "traceEvents", and values beside it,
// in whatever order they come.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "sim/base/result.h"
#include "traces/kineto/event_parser.h"
#include "traces/kineto/json_window.h"

namespace quintet::kineto {

struct DocumentReader {
  EventParser::OnEvent on_event;
  // Whether on_value is to have the value beside "traceEvents": others are read over.
  std::function<bool(std::string_view key)> wants;
  // The value is JSON.
  std::function<std::optional<Error>(const std::string& key, std::string_view value)> on_value;
};

struct DocumentTally {
  std::size_t events = 0;
  std::size_t replaced = 0;  // bytes that may not stand in JSON
  // Ends between two events or after the last, without what closes it: its writer was killed.
  bool breaks_off = false;
};

// Fails where the text is no trace, is cut off in the middle of an event or a value, or where
// on_event or on_value say so.
Result<DocumentTally> read_document(JsonWindow& window, const DocumentReader& reader);

}  // namespace quintet::kineto
