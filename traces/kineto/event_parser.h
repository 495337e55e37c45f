// Events from their text, many at once.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "sim/base/result.h"
#include "traces/json_stream/list_document.h"
#include "traces/kineto/event_fields.h"

namespace quintet::kineto {

class EventParser {
 public:
  // Returns what is wrong with the event, or nothing.
  using OnEvent = std::function<std::optional<std::string>(const EventFields&)>;
  explicit EventParser(OnEvent on_event);
  ~EventParser();

  // `array` is a JSON array of events, with json_stream::JsonWindow::padding bytes after it that
  // may be read. Bytes that may not stand in JSON (control characters, what is not UTF-8) are
  // replaced in it.
  std::optional<json_stream::ElementFault> parse(char* array, std::size_t size);
  std::size_t events() const { return events_; }      // parsed so far
  std::size_t replaced() const { return replaced_; }  // bytes

 private:
  struct Inside;  // the library's
  std::unique_ptr<Inside> inside_;
  OnEvent on_event_;
  std::size_t events_ = 0, replaced_ = 0;
};

}  // namespace quintet::kineto
