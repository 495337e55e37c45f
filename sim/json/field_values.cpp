#include "sim/json/field_values.h"

#include <algorithm>
#include <cctype>

#include <nlohmann/json.hpp>

#include "sim/json/json_value.h"

namespace quintet {
namespace {

bool is_object(FieldKind kind) {
  return kind == FieldKind::object || kind == FieldKind::object_or_file;
}

void add(const FieldDescription& object, const JsonValue& json, const std::string& prefix,
         FieldTexts& texts) {
  for (const FieldDescription& field : object.fields) {
    const JsonValue* const value = json.find(field.key);
    if (value == nullptr) continue;
    texts[prefix + field.key] = plain_value(value->dump());
    if (is_object(field.kind)) add(field, *value, prefix + field.key + ".", texts);
  }
}

// --set reads it as it stands.
bool is_plain(const std::string& text) {
  if (text.empty() || text == "true" || text == "false" || nlohmann::json::accept(text))
    return false;
  if (text.front() == ' ' || text.back() == ' ') return false;
  return std::all_of(text.begin(), text.end(), [](unsigned char letter) {
    return std::isalnum(letter) != 0 ||
           std::string_view(" _-./:+@%").find(static_cast<char>(letter)) != std::string_view::npos;
  });
}

}  // namespace

FieldTexts field_texts(const FieldDescription& file, const std::string& json) {
  FieldTexts texts;
  add(file, JsonValue::parse(json), "", texts);
  return texts;
}

std::string plain_value(const std::string& json) {
  if (!json.starts_with('"')) return json;
  return nlohmann::json::parse(json).get<std::string>();
}

std::string asked_value(const FieldDescription& field, const std::string& value) {
  if (field.kind != FieldKind::text || is_plain(value)) return value;
  return JsonValue(value).dump();
}

}  // namespace quintet
