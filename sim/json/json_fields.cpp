#include "sim/json/json_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/base/nearest_word.h"
#include "sim/base/shown_text.h"
#include "sim/base/usual_words.h"

namespace quintet {
namespace {

using Json = nlohmann::json;

std::string hint(std::string_view word, const std::vector<std::string_view>& candidates) {
  if (const auto meant = field_meant(word);
      meant && std::find(candidates.begin(), candidates.end(), *meant) != candidates.end())
    return "; did you mean " + in_quotes(*meant) + "?";
  const std::optional<std::string_view> near = nearest(word, candidates);
  return near ? "; did you mean " + in_quotes(*near) + "?" : "";
}

const Json& empty_object() {
  static const Json empty = Json::object();
  return empty;
}

std::string range_text(int least, int most) {
  if (most == std::numeric_limits<int>::max()) return fmt::format("{} or more", least);
  return fmt::format("from {} to {}", least, most);
}

std::optional<int> integer_in(const Json& json, int least, int most) {
  if (!json.is_number_integer()) return std::nullopt;
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > std::numeric_limits<int>::max())
    return std::nullopt;
  const auto value = json.get<std::int64_t>();
  if (value < least || value > most) return std::nullopt;
  return static_cast<int>(value);
}

// "hosts[3]"
std::string at(std::string_view key, std::size_t index) {
  return fmt::format("{}[{}]", key, index);
}

}  // namespace

std::string joined(const std::vector<std::string_view>& words) {
  std::string line;
  for (const std::string_view word : words) line += (line.empty() ? "" : ", ") + std::string(word);
  return line;
}

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string described(const Json& json) {
  if (json.is_object()) return "an object";
  if (json.is_array()) return "an array";
  if (json.is_string()) return in_quotes(json.get_ref<const std::string&>());
  if (json.is_number()) return "the number " + json.dump();
  return json.dump();
}

JsonObject::JsonObject(const Json& json, std::string where)
    : json_(&json), where_(std::move(where)) {
  if (json.is_object()) return;
  json_ = &empty_object();
  error_ = Error{where_, "expected an object, found " + described(json)};
}

JsonObject::JsonObject(FieldRecording& recording) : JsonObject(recording, recording.root, "") {}

JsonObject::JsonObject(FieldRecording& recording, RecordedField& node, std::string where)
    : json_(&empty_object()), where_(std::move(where)), recording_(&recording), node_(&node) {
  ++node.entered;
}

RecordedField* JsonObject::record(const FieldKey& key, FieldKind kind, Need need) {
  if (!recording()) return nullptr;
  auto field = std::find_if(node_->fields.begin(), node_->fields.end(),
                            [&](const RecordedField& each) { return each.is.key == key.name; });
  if (field == node_->fields.end()) {
    field = node_->fields.emplace(field);
    field->is.key = key.name;
  }
  if (field->is.meaning.empty()) field->is.meaning = key.meaning;
  if (kind != FieldKind::other) field->is.kind = kind;
  if (need == Need::required && field->demanded_in != node_->entered) {
    field->demanded_in = node_->entered;
    ++field->demanded;
  }
  return &*field;
}

void JsonObject::record_range(const FieldKey& key, FieldKind kind, Need need, double least,
                              double most) {
  RecordedField* const field = record(key, kind, need);
  field->is.least = least;
  field->is.most = most;
}

bool JsonObject::has(std::string_view key) const {
  if (recording()) return recording_->has;
  return json_->contains(key);
}

std::string JsonObject::place(std::string_view key) const {
  const bool at_root = where_.find(": ") == std::string::npos;
  return where_ + (at_root ? ": " : ".") + shown(key);
}

void JsonObject::fail(std::string_view key, const std::string& what) {
  if (recording()) return;
  if (!error_) error_ = Error{place(key), what};
}

void JsonObject::adopt(const JsonObject& child) {
  if (!error_) error_ = child.error_;
}

const Json* JsonObject::raw(const FieldKey& key) {
  if (recording()) return record(key, FieldKind::other), nullptr;
  known_.emplace(key.name);
  const auto found = json_->find(key.name);
  return found == json_->end() ? nullptr : &*found;
}

const Json* JsonObject::find(std::string_view key, Need need, std::string_view expected) {
  const Json* const json = raw(key);
  if (failed()) return nullptr;
  if (json == nullptr && need == Need::required)
    fail(key, "is missing, expected " + std::string(expected) + misspelt(key));
  return json;
}

// A key nobody has asked for yet that looks like the one that is missing.
std::string JsonObject::misspelt(std::string_view missing) const {
  constexpr std::size_t most = 256;  // a file may hold millions, and each is compared
  std::vector<std::string_view> unread;
  if (json_->size() <= most)
    for (auto entry = json_->begin(); entry != json_->end(); ++entry)
      if (!known_.contains(entry.key())) unread.push_back(entry.key());
  const std::optional<std::string_view> near = nearest(missing, unread);
  return near ? "; is " + in_quotes(*near) + " misspelt?" : "";
}

void JsonObject::fail_expecting(std::string_view key, std::string_view expected,
                                const Json& found) {
  fail(key, "expected " + std::string(expected) + ", found " + described(found));
}

std::string JsonObject::read_text(const FieldKey& key, Need need, std::string fallback) {
  if (recording()) return record(key, FieldKind::text, need), fallback;
  const Json* const json = find(key, need, "text");
  if (json == nullptr) return fallback;
  if (json->is_string()) return json->get<std::string>();
  fail_expecting(key, "text", *json);
  return fallback;
}

double JsonObject::read_number(const FieldKey& key, Need need, double fallback) {
  if (recording()) return record(key, FieldKind::number, need), fallback;
  const Json* const json = find(key, need, "a number");
  if (json == nullptr) return fallback;
  // The parser has refused what does not fit a double, but a tree may come from elsewhere.
  if (json->is_number() && std::isfinite(json->get<double>())) return json->get<double>();
  fail_expecting(key, "a finite number", *json);
  return fallback;
}

int JsonObject::read_integer(const FieldKey& key, Need need, int fallback, int least, int most) {
  if (recording()) {
    constexpr int none = std::numeric_limits<int>::max();
    record_range(key, FieldKind::whole, need, least,
                 most == none ? std::numeric_limits<double>::infinity() : most);
    return fallback;
  }
  const std::string expected = "a whole number, " + range_text(least, most);
  const Json* const json = find(key, need, expected);
  if (json == nullptr) return fallback;
  const std::optional<int> value = integer_in(*json, least, most);
  if (!value) fail_expecting(key, expected, *json);
  return value.value_or(fallback);
}

bool JsonObject::read_boolean(const FieldKey& key, Need need, bool fallback) {
  if (recording()) return record(key, FieldKind::truth, need), fallback;
  const Json* const json = find(key, need, "true or false");
  if (json == nullptr) return fallback;
  if (json->is_boolean()) return json->get<bool>();
  fail_expecting(key, "true or false", *json);
  return fallback;
}

std::string JsonObject::text(const FieldKey& key) {
  return read_text(key, Need::required, {});
}
double JsonObject::number(const FieldKey& key) {
  return read_number(key, Need::required, 0.0);
}
int JsonObject::integer(const FieldKey& key, int least, int most) {
  return read_integer(key, Need::required, least, least, most);
}
bool JsonObject::boolean(const FieldKey& key) {
  return read_boolean(key, Need::required, false);
}

std::string JsonObject::text_or(const FieldKey& key, std::string fallback) {
  return read_text(key, Need::optional, std::move(fallback));
}
double JsonObject::number_or(const FieldKey& key, double fallback) {
  return read_number(key, Need::optional, fallback);
}
int JsonObject::integer_or(const FieldKey& key, int fallback, int least, int most) {
  return read_integer(key, Need::optional, fallback, least, most);
}
bool JsonObject::boolean_or(const FieldKey& key, bool fallback) {
  return read_boolean(key, Need::optional, fallback);
}

std::vector<int> JsonObject::integers_or(const FieldKey& key, std::vector<int> fallback, int least,
                                         int most) {
  if (RecordedField* const list = record(key, FieldKind::list)) {
    JsonObject(*recording_, *list, "").read_integer("", Need::optional, least, least, most);
    return fallback;
  }
  const std::string expected = "an array of whole numbers, each " + range_text(least, most);
  const Json* const json = find(key, Need::optional, expected);
  if (json == nullptr) return fallback;
  if (!json->is_array()) return fail_expecting(key, expected, *json), fallback;
  std::vector<int> values;
  for (const Json& element : *json) {
    const std::optional<int> value = integer_in(element, least, most);
    if (!value) return fail_expecting(at(key, values.size()), expected, element), fallback;
    values.push_back(*value);
  }
  return values;
}

std::optional<std::size_t> JsonObject::word(const FieldKey& key,
                                            const std::vector<std::string_view>& names, Need need) {
  if (RecordedField* const field = record(key, FieldKind::word, need)) {
    field->is.words.assign(names.begin(), names.end());
    const int branch = key.name == "family" ? recording_->family : recording_->word;
    return static_cast<std::size_t>(branch) % names.size();
  }
  const std::string expected = "one of " + joined(names);
  const Json* const json = find(key, need, expected);
  if (json == nullptr) return std::nullopt;
  if (!json->is_string()) return fail_expecting(key, expected, *json), std::nullopt;
  const auto& found = json->get_ref<const std::string&>();
  if (const auto meant = word_meant(found, names)) return meant;
  fail(key, "expected " + expected + ", found " + in_quotes(found) + hint(found, names));
  return std::nullopt;
}

JsonObject JsonObject::child(const FieldKey& key, Need need) {
  if (RecordedField* const field = record(key, FieldKind::object, need))
    return JsonObject(*recording_, *field, place(key));
  const Json* const json = find(key, need, "an object");
  JsonObject found(json == nullptr ? empty_object() : *json, place(key));
  adopt(found);
  return found;
}

JsonObject JsonObject::object(const FieldKey& key) {
  return child(key, Need::required);
}
JsonObject JsonObject::object_or_empty(const FieldKey& key) {
  return child(key, Need::optional);
}

std::vector<JsonObject> JsonObject::objects_or_empty(const FieldKey& key) {
  if (RecordedField* const list = record(key, FieldKind::list)) {
    std::vector<JsonObject> one;
    one.push_back(JsonObject(*recording_, *list, "").child("", Need::optional));
    return one;
  }
  const Json* const json = find(key, Need::optional, "an array of objects");
  if (json == nullptr) return {};
  if (!json->is_array())
    return fail_expecting(key, "an array of objects", *json), std::vector<JsonObject>{};
  std::vector<JsonObject> found;
  for (const Json& element : *json) {
    found.emplace_back(element, place(at(key, found.size())));
    adopt(found.back());
  }
  return found;
}

void JsonObject::refuse_unknown_keys() {
  const std::vector<std::string_view> known(known_.begin(), known_.end());
  for (const auto& [key, value] : json_->items()) {
    if (known_.contains(key)) continue;
    const std::string near = hint(key, known);
    return fail(key, "unknown key" + (near.empty() ? "; known are " + joined(known) : near));
  }
}

}  // namespace quintet
