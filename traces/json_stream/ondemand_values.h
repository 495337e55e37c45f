// Values of simdjson's on-demand parser as text. Only for the .cpp files that parse with it.
#pragma once

#include <simdjson.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "traces/json_stream/json_window.h"
#include "traces/json_stream/list_document.h"
#include "traces/json_stream/valid_text.h"

namespace quintet::json_stream {

namespace ondemand = simdjson::ondemand;

static_assert(JsonWindow::padding >= simdjson::SIMDJSON_PADDING);

// Without its end where it holds an escaped quote, as no key of ours does.
inline std::string_view text_of(ondemand::raw_json_string key) {
  constexpr std::size_t longest = JsonWindow::padding;
  const char* first = key.raw();
  const void* end = std::memchr(first, '"', longest);
  return {first, end == nullptr ? longest
                                : static_cast<std::size_t>(static_cast<const char*>(end) - first)};
}

// A number, a word or a string with its quotes, up to what comes next.
inline std::string_view trimmed(std::string_view token) {
  while (!token.empty() && static_cast<unsigned char>(token.back()) <= ' ') token.remove_suffix(1);
  return token;
}

// Objects and null are read over.
template <class Fields, class Field>
simdjson::error_code put_value(Fields& fields, Field field, ondemand::value value) {
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

inline bool is_object(ondemand::value value) {
  ondemand::json_type type{};
  return value.type().get(type) == simdjson::SUCCESS && type == ondemand::json_type::object;
}

// Calls on_element(object) for each element of the array, which returns what is wrong with it, or
// nothing. What may not stand in JSON is replaced first, and counted.
template <class OnElement>
std::optional<ElementFault> parse_objects(ondemand::parser& parser, char* array, std::size_t size,
                                          std::size_t& replaced, std::string_view expected,
                                          const OnElement& on_element) {
  ondemand::document document;
  const auto open = [&] {
    return parser.iterate(array, size, size + JsonWindow::padding).get(document);
  };
  simdjson::error_code error = open();
  if (error == simdjson::UTF8_ERROR || error == simdjson::UNESCAPED_CHARS) {
    replaced += make_valid({array, size});
    error = open();
  }
  const bool is_open = !error;  // a document that is not has no place to ask for
  const auto fault = [&](std::string what) {
    const char* at = nullptr;
    const bool known =
        is_open && document.current_location().get(at) == simdjson::SUCCESS && at >= array;
    return ElementFault{known ? std::min(static_cast<std::size_t>(at - array), size) : 0,
                        std::move(what)};
  };
  const auto not_json = [&] {
    return fault(std::string("not valid JSON: ") + simdjson::error_message(error));
  };
  ondemand::array elements;
  if (!error) error = document.get_array().get(elements);
  if (error) return not_json();
  for (auto element : elements) {
    ondemand::object object;
    error = element.get_object().get(object);
    if (error == simdjson::INCORRECT_TYPE) return fault("expected " + std::string(expected));
    std::optional<std::string> wrong;
    if (!error) error = on_element(object, wrong);
    if (error) return not_json();
    if (wrong) return fault(std::move(*wrong));
  }
  return std::nullopt;
}

}  // namespace quintet::json_stream
