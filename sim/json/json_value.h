// JSON to be written: a value whose objects keep their keys in the order given.
//   JsonValue report{{"name", name}, {"times", {{"step", 1.5}, {"idle", 0.5}}}};
//   report["remarks"] = remarks;
// nlohmann's value does the same and costs each file that builds one seconds of compiling; here it
// stays in one file.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace quintet {

class JsonField;

class JsonValue {
 public:
  JsonValue();  // null
  JsonValue(const JsonValue& other);
  JsonValue(JsonValue&& other) noexcept;
  JsonValue& operator=(JsonValue other) noexcept;
  ~JsonValue();

  JsonValue(std::nullptr_t);
  JsonValue(bool value);
  JsonValue(double value);
  JsonValue(const char* text);
  JsonValue(std::string_view text);
  JsonValue(const std::string& text);
  template <std::signed_integral Number>
  JsonValue(Number value) : JsonValue(Integer{value}) {}
  template <std::unsigned_integral Number>
  requires(!std::same_as<Number, bool>) JsonValue(Number value) : JsonValue(Natural{value}) {}
  template <class Element>
  JsonValue(const std::vector<Element>& elements) : JsonValue(array()) {
    for (const auto& element : elements) push_back(element);
  }
  template <class Element, std::size_t size>
  JsonValue(const std::array<Element, size>& elements) : JsonValue(array()) {
    for (const auto& element : elements) push_back(element);
  }
  JsonValue(const std::map<std::string, std::string>& texts);
  JsonValue(std::initializer_list<JsonField> fields);
  static JsonValue array();
  static JsonValue object();
  // The text must be JSON, as that is which we wrote or which was read before.
  static JsonValue parse(const std::string& text);

  // Null becomes an object by its first field, an array by its first element.
  JsonValue& operator[](std::string_view key);
  void push_back(JsonValue element);
  // Fields of another object: those with a key that is there replace its value.
  void update(const JsonValue& fields);
  void erase(std::string_view key);

  JsonValue* find(std::string_view key);  // null when there is none, or this is no object
  const JsonValue* find(std::string_view key) const;
  std::vector<JsonValue>& elements();  // of an array
  const std::vector<JsonValue>& elements() const;
  const std::vector<JsonField>& fields() const;  // of an object
  bool is_array() const;
  bool is_text(std::string_view text) const;
  std::size_t size() const;  // elements or fields
  bool empty() const { return size() == 0; }

  // On a line, or indented by so many blanks a level. What is no UTF-8 is replaced.
  std::string dump(int indent = -1) const;

 private:
  struct Integer {
    std::int64_t value;
  };
  struct Natural {
    std::uint64_t value;
  };
  struct Content;
  JsonValue(Integer value);
  JsonValue(Natural value);

  std::unique_ptr<Content> content_;  // none: null
};

class JsonField {
 public:
  JsonField(std::string_view key, JsonValue value);
  std::string key;
  JsonValue value;
};

}  // namespace quintet
