#include "sim/json/json_value.h"

#include <algorithm>
#include <cassert>
#include <utility>
#include <variant>

#include <nlohmann/json.hpp>

#include "sim/base/result.h"

namespace quintet {

using Elements = std::vector<JsonValue>;
using Fields = std::vector<JsonField>;
using Tree = nlohmann::ordered_json;

struct JsonValue::Content {
  std::variant<bool, std::int64_t, std::uint64_t, double, std::string, Elements, Fields> is;

  static Tree tree_of(const JsonValue& value);
  static JsonValue value_of(const Tree& tree);
};

JsonField::JsonField(std::string_view name, JsonValue content)
    : key(name), value(std::move(content)) {}

JsonValue::JsonValue() = default;
JsonValue::JsonValue(const JsonValue& other)
    : content_(other.content_ ? std::make_unique<Content>(*other.content_) : nullptr) {}
JsonValue::JsonValue(JsonValue&& other) noexcept = default;
JsonValue& JsonValue::operator=(JsonValue other) noexcept {
  content_ = std::move(other.content_);
  return *this;
}
JsonValue::~JsonValue() = default;

JsonValue::JsonValue(std::nullptr_t) {}
JsonValue::JsonValue(bool value) : content_(std::make_unique<Content>(Content{value})) {}
JsonValue::JsonValue(double value) : content_(std::make_unique<Content>(Content{value})) {}
JsonValue::JsonValue(const char* text) : JsonValue(std::string_view(text)) {}
JsonValue::JsonValue(std::string_view text)
    : content_(std::make_unique<Content>(Content{std::string(text)})) {}
JsonValue::JsonValue(const std::string& text) : JsonValue(std::string_view(text)) {}
JsonValue::JsonValue(Integer number) : content_(std::make_unique<Content>(Content{number.value})) {}
JsonValue::JsonValue(Natural number) : content_(std::make_unique<Content>(Content{number.value})) {}
JsonValue::JsonValue(const std::map<std::string, std::string>& texts) : JsonValue(object()) {
  for (const auto& [key, text] : texts) (*this)[key] = text;
}
JsonValue::JsonValue(std::initializer_list<JsonField> fields)
    : content_(std::make_unique<Content>(Content{Fields(fields)})) {}

JsonValue JsonValue::array() {
  JsonValue made;
  made.content_ = std::make_unique<Content>(Content{Elements{}});
  return made;
}

JsonValue JsonValue::object() {
  JsonValue made;
  made.content_ = std::make_unique<Content>(Content{Fields{}});
  return made;
}

JsonValue* JsonValue::find(std::string_view key) {
  Fields* const fields = content_ ? std::get_if<Fields>(&content_->is) : nullptr;
  if (fields == nullptr) return nullptr;
  const auto found = std::find_if(fields->begin(), fields->end(),
                                  [&](const JsonField& field) { return field.key == key; });
  return found == fields->end() ? nullptr : &found->value;
}

const JsonValue* JsonValue::find(std::string_view key) const {
  return const_cast<JsonValue*>(this)->find(key);
}

JsonValue& JsonValue::operator[](std::string_view key) {
  if (!content_) *this = object();
  if (JsonValue* const found = find(key)) return *found;
  return std::get<Fields>(content_->is).emplace_back(key, JsonValue()).value;
}

void JsonValue::push_back(JsonValue element) {
  if (!content_) *this = array();
  elements().push_back(std::move(element));
}

void JsonValue::update(const JsonValue& fields) {
  assert(fields.content_);
  for (const JsonField& field : std::get<Fields>(fields.content_->is))
    (*this)[field.key] = field.value;
}

void JsonValue::erase(std::string_view key) {
  std::erase_if(std::get<Fields>(content_->is),
                [&](const JsonField& field) { return field.key == key; });
}

Elements& JsonValue::elements() {
  return std::get<Elements>(content_->is);
}

const Elements& JsonValue::elements() const {
  return std::get<Elements>(content_->is);
}

const Fields& JsonValue::fields() const {
  return std::get<Fields>(content_->is);
}

bool JsonValue::is_array() const {
  return content_ && std::holds_alternative<Elements>(content_->is);
}

bool JsonValue::is_text(std::string_view text) const {
  const std::string* const own = content_ ? std::get_if<std::string>(&content_->is) : nullptr;
  return own != nullptr && *own == text;
}

std::size_t JsonValue::size() const {
  if (!content_) return 0;
  if (is_array()) return elements().size();
  const Fields* const fields = std::get_if<Fields>(&content_->is);
  return fields == nullptr ? 1 : fields->size();
}

Tree JsonValue::Content::tree_of(const JsonValue& value) {
  if (!value.content_) return nullptr;
  return std::visit(Match{[](const Elements& elements) {
                            Tree tree = Tree::array();
                            for (const JsonValue& each : elements) tree.push_back(tree_of(each));
                            return tree;
                          },
                          [](const Fields& fields) {
                            Tree tree = Tree::object();
                            for (const JsonField& each : fields)
                              tree.emplace(each.key, tree_of(each.value));
                            return tree;
                          },
                          [](const auto& scalar) { return Tree(scalar); }},
                    value.content_->is);
}

JsonValue JsonValue::Content::value_of(const Tree& tree) {
  if (tree.is_boolean()) return tree.get<bool>();
  if (tree.is_number_unsigned()) return Natural{tree.get<std::uint64_t>()};
  if (tree.is_number_integer()) return Integer{tree.get<std::int64_t>()};
  if (tree.is_number()) return tree.get<double>();
  if (tree.is_string()) return tree.get_ref<const std::string&>();
  if (tree.is_null()) return nullptr;
  JsonValue made = tree.is_array() ? array() : object();
  if (tree.is_array())
    for (const Tree& element : tree) made.push_back(value_of(element));
  else
    for (const auto& [key, element] : tree.items()) made[key] = value_of(element);
  return made;
}

JsonValue JsonValue::parse(const std::string& text) {
  return Content::value_of(Tree::parse(text));
}

std::string JsonValue::dump(int indent) const {
  return Content::tree_of(*this).dump(indent, ' ', false, Tree::error_handler_t::replace);
}

}  // namespace quintet
