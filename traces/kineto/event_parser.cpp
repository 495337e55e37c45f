#include "traces/kineto/event_parser.h"

#include <simdjson.h>

#include <cstring>
#include <utility>

#include "traces/kineto/json_window.h"
#include "traces/kineto/valid_text.h"

namespace quintet::kineto {
namespace {

namespace ondemand = simdjson::ondemand;

static_assert(JsonWindow::padding >= simdjson::SIMDJSON_PADDING);

// Without its end where it holds an escaped quote, as no key of ours does.
std::string_view text_of(ondemand::raw_json_string key) {
  constexpr std::size_t longest = JsonWindow::padding;
  const char* first = key.raw();
  const void* end = std::memchr(first, '"', longest);
  return {first, end == nullptr ? longest
                                : static_cast<std::size_t>(static_cast<const char*>(end) - first)};
}

// A number, a word or a string with its quotes, up to what comes next.
std::string_view trimmed(std::string_view token) {
  while (!token.empty() && static_cast<unsigned char>(token.back()) <= ' ') token.remove_suffix(1);
  return token;
}

simdjson::error_code put_value(EventFields& fields, Field field, ondemand::value value) {
  ondemand::json_type type{};
  SIMDJSON_TRY(value.type().get(type));
  switch (type) {
    case ondemand::json_type::array: {
      ondemand::array array;
      std::string_view text;
      SIMDJSON_TRY(value.get_array().get(array));
      SIMDJSON_TRY(array.raw_json().get(text));
      fields.put(field, trimmed(text));
      return simdjson::SUCCESS;
    }
    case ondemand::json_type::string: {
      std::string_view token = trimmed(value.raw_json_token());
      if (token.size() < 2 || token.back() != '"') return simdjson::STRING_ERROR;
      token.remove_prefix(1);
      token.remove_suffix(1);
      fields.put_escaped(field, token);
      return simdjson::SUCCESS;
    }
    case ondemand::json_type::number:
    case ondemand::json_type::boolean:
      fields.put(field, trimmed(value.raw_json_token()));
      return simdjson::SUCCESS;
    case ondemand::json_type::object:
    case ondemand::json_type::null:
      return simdjson::SUCCESS;
  }
  return simdjson::SUCCESS;
}

simdjson::error_code put_args(EventFields& fields, ondemand::value value) {
  ondemand::json_type type{};
  SIMDJSON_TRY(value.type().get(type));
  if (type != ondemand::json_type::object) return simdjson::SUCCESS;
  ondemand::object args;
  SIMDJSON_TRY(value.get_object().get(args));
  for (auto entry : args) {
    ondemand::field argument;
    SIMDJSON_TRY(std::move(entry).get(argument));
    const std::size_t field = field_of_key(KeyOf::args, text_of(argument.key()));
    if (field < field_count)
      SIMDJSON_TRY(put_value(fields, static_cast<Field>(field), argument.value()));
  }
  return simdjson::SUCCESS;
}

simdjson::error_code put_event(EventFields& fields, ondemand::object event) {
  for (auto entry : event) {
    ondemand::field part;
    SIMDJSON_TRY(std::move(entry).get(part));
    const std::size_t field = field_of_key(KeyOf::event, text_of(part.key()));
    if (field < field_count)
      SIMDJSON_TRY(put_value(fields, static_cast<Field>(field), part.value()));
    if (field == args_field) SIMDJSON_TRY(put_args(fields, part.value()));
  }
  return simdjson::SUCCESS;
}

std::string not_json(simdjson::error_code error) {
  return std::string("not valid JSON: ") + simdjson::error_message(error);
}

}  // namespace

struct EventParser::Inside {
  ondemand::parser parser;
  EventFields fields;
};

EventParser::EventParser(OnEvent on_event)
    : inside_(std::make_unique<Inside>()), on_event_(std::move(on_event)) {}
EventParser::~EventParser() = default;

std::optional<EventParser::Fault> EventParser::parse(char* array, std::size_t size) {
  ondemand::document document;
  const auto open = [&] {
    return inside_->parser.iterate(array, size, size + JsonWindow::padding).get(document);
  };
  simdjson::error_code error = open();
  if (error == simdjson::UTF8_ERROR || error == simdjson::UNESCAPED_CHARS) {
    replaced_ += make_valid({array, size});
    error = open();
  }
  const std::size_t first = events_;
  const auto fault = [&](std::string what) -> std::optional<Fault> {
    const char* at = nullptr;
    const bool known = document.current_location().get(at) == simdjson::SUCCESS;
    const std::size_t place = known && at >= array ? static_cast<std::size_t>(at - array) : 0;
    return Fault{std::min(place, size), events_ - first, std::move(what)};
  };
  ondemand::array events;
  if (!error) error = document.get_array().get(events);
  if (error) return fault(not_json(error));
  for (auto element : events) {
    ondemand::object event;
    error = element.get_object().get(event);
    if (error == simdjson::INCORRECT_TYPE) return fault("expected an event {\"ph\": ...}");
    inside_->fields.clear();
    if (!error) error = put_event(inside_->fields, event);
    if (error) return fault(not_json(error));
    if (auto wrong = on_event_(inside_->fields)) return fault(std::move(*wrong));
    ++events_;
  }
  return std::nullopt;
}

}  // namespace quintet::kineto
