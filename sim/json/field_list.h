// A file format as one list of fields, from which it is both read and written:
//
//   template <class File>
//   void fields(File& file, Replicator& replicator) {
//     file.field({"kind", "what is sent"}, replicator.kind);  // may be left out: the default
//     file.required({"every", "steps between"}, replicator.every, Between{1, 1000});  // may not
//     file.unusual("rate", replicator.rate, 1.0);                 // 1 is not written
//     if (replicator.every > 10) file.refuse("every", "...");     // said to who wrote the file
//   }
//
// Behind a key stands what the field means, in words that help and editors show
// (sim/json/field_description.h: FieldReader records a list where it reads nothing).
//
// The list stands in the namespace of its struct, once, and is instantiated for FieldReader and for
// FieldWriter. Values are truths, numbers, text, quantities, words of closed sets, structs that
// have a list of their own, and optionals and vectors of these. Only reader .cpp files include this
// header.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sim/json/json_fields.h"
#include "sim/json/json_value.h"

namespace quintet {

// Both ends are accepted.
template <class Number>
struct Between {
  Number least, most;
};

// The words of a closed set as `name` gives them: its enumerators count from 0, and numbers beyond
// have no word.
template <class Enum, class Name>
std::vector<std::string> words_of(Name name) {
  std::vector<std::string> words;
  for (int number = 0; !name(static_cast<Enum>(number)).empty(); ++number)
    words.emplace_back(name(static_cast<Enum>(number)));
  return words;
}
template <class Enum>
std::vector<std::string> words_of() {
  return words_of<Enum>([](Enum value) { return name_of(value); });
}

template <class Value>
concept ClosedSet = std::is_enum_v<Value>;
template <class Value>
concept Struct = std::is_class_v<Value>;

// How quantities are written: "80 GiB", or the shortest digits in the base unit that read back to
// the same number.
enum class Digits { for_people, exact };

// Leaves what was given as it is; it is not const because one list serves reader and writer.
class FieldWriter {
 public:
  using Json = JsonValue;  // keys in the order of the list

  explicit FieldWriter(Digits digits) : digits_(digits) {}

  template <class Value, class... How>
  void field(const FieldKey& key, Value& value, const How&... how) {
    json_[key.name] = written(value, how...);
  }
  template <class Value, class... How>
  void field(const FieldKey& key, std::optional<Value>& value, const How&... how) {
    if (value) json_[key.name] = written(*value, how...);
  }
  template <class Value, class... How>
  void required(const FieldKey& key, Value& value, const How&... how) {
    json_[key.name] = written(value, how...);
  }
  template <class Value, class... How>
  void unusual(const FieldKey& key, Value& value, const std::type_identity_t<Value>& usual,
               const How&... how) {
    if (value != usual) json_[key.name] = written(value, how...);
  }
  template <class Value>
  void preset(Value&, const Value&) {}
  void refuse(std::string_view, const std::string&) {}

  Json json() && { return std::move(json_); }

  template <class Value, class... How>
  Json written(Value& value, const How&... how) const {
    if constexpr (ClosedSet<Value> && (std::is_invocable_v<How, Value> || ...)) {
      return (how(value), ...);
    } else if constexpr (ClosedSet<Value>) {
      return name_of(value);
    } else if constexpr (requires { text(value); }) {
      return digits_ == Digits::for_people ? text(value) : exact_text(value);
    } else if constexpr (requires(FieldWriter & writer) { fields(writer, value); }) {
      FieldWriter writer(digits_);
      fields(writer, value);
      return std::move(writer.json_);
    } else {
      return value;
    }
  }
  template <class Value, class... How>
  requires(!std::is_arithmetic_v<Value>) Json written(std::vector<Value>& values, const How&...)
  const {
    Json all = Json::array();
    for (Value& value : values) all.push_back(written(value));
    return all;
  }

 private:
  Digits digits_;
  Json json_ = Json::object();
};

// What is wrong stays in the JsonObject; a value that is wrong keeps its default.
class FieldReader {
 public:
  explicit FieldReader(JsonObject& json) : json_(json) {}

  template <class Value, class... How>
  void field(const FieldKey& key, Value& value, const How&... how) {
    const std::string usual = usual_text(value, how...);
    read(Need::optional, key, value, how...);
    if (!usual.empty()) json_.record(key, FieldKind::other)->is.usual = usual;
  }
  template <class Value, class... How>
  void required(const FieldKey& key, Value& value, const How&... how) {
    read(Need::required, key, value, how...);
  }
  template <class Value, class... How>
  void unusual(const FieldKey& key, Value& value, const std::type_identity_t<Value>& usual,
               const How&... how) {
    value = usual;
    if (json_.recording())
      field(key, value, how...);
    else if (json_.raw(key) != nullptr)
      read(Need::required, key, value, how...);
  }
  // What a field that may be left out then is, where that is not the struct's default.
  template <class Value>
  void preset(Value& value, const Value& otherwise) {
    value = otherwise;
  }
  void refuse(const FieldKey& key, const std::string& what) { json_.fail(key, what); }
  // Where a text with a unit is due.
  bool is_number(const FieldKey& key) const;

 private:
  using Need = JsonObject::Need;

  // For the record: what a field is when it is left out. Structs' fields say it themselves.
  template <class Value, class... How>
  std::string usual_text(Value& value, const How&... how) const {
    if (!json_.recording()) return "";
    std::string text = FieldWriter(Digits::for_people).written(value, how...).dump();
    return text.starts_with("{") || text == "null" ? "" : text;
  }
  template <class Value, class... How>
  std::string usual_text(std::optional<Value>&, const How&...) const {
    return "";
  }

  void read(Need need, const FieldKey& key, bool& value);
  void read(Need need, const FieldKey& key, std::string& value);
  void read(Need need, const FieldKey& key, double& value);
  void read(Need need, const FieldKey& key, double& value, Between<double> range);
  void read(Need need, const FieldKey& key, int& value, Between<int> range);
  void read(Need need, const FieldKey& key, std::int64_t& value, Between<int> range);
  void read(Need need, const FieldKey& key, std::uint64_t& value);
  void read(Need need, const FieldKey& key, Bytes& value);
  void read(Need need, const FieldKey& key, Seconds& value);
  void read(Need need, const FieldKey& key, Bandwidth& value);
  void read(Need need, const FieldKey& key, FlopRate& value);
  void read(Need need, const FieldKey& key, DataType& value);
  void read(Need need, const FieldKey& key, std::vector<int>& value, Between<int> range);
  void read(Need need, const FieldKey& key, std::vector<double>& values);
  void read(Need need, const FieldKey& key, std::vector<std::string>& values);

  template <ClosedSet Enum>
  void read(Need need, const FieldKey& key, Enum& value) {
    if (const auto found = word(need, key, words_of<Enum>())) value = static_cast<Enum>(*found);
  }
  template <ClosedSet Enum, class Name>
  requires std::is_invocable_v<Name, Enum>
  void read(Need need, const FieldKey& key, Enum& value, Name name) {
    if (const auto found = word(need, key, words_of<Enum>(name))) value = static_cast<Enum>(*found);
  }
  // `what` names the words for a message: "axes".
  template <ClosedSet Enum>
  void read(Need, const FieldKey& key, std::vector<Enum>& values, const char* what) {
    if (const auto found = words(key, words_of<Enum>(), what)) {
      values.clear();
      for (const std::size_t number : *found) values.push_back(static_cast<Enum>(number));
    }
  }
  template <class Value, class... How>
  void read(Need, const FieldKey& key, std::optional<Value>& value, const How&... how) {
    if (json_.recording()) {
      read(Need::optional, key, value.emplace(), how...);
      value.reset();
    } else if (json_.raw(key) != nullptr) {
      read(Need::required, key, value.emplace(), how...);
    }
  }
  template <Struct Value>
  void read(Need need, const FieldKey& key, Value& value) {
    JsonObject child = need == Need::required ? json_.object(key) : json_.object_or_empty(key);
    read_whole(child, value);
  }
  template <Struct Value>
  void read(Need, const FieldKey& key, std::vector<Value>& values) {
    for (JsonObject& each : json_.objects_or_empty(key)) read_whole(each, values.emplace_back());
  }
  template <class Value>
  void read_whole(JsonObject& json, Value& value) {
    FieldReader reader(json);
    fields(reader, value);
    json.refuse_unknown_keys();
    json_.adopt(json);
  }
  std::optional<std::size_t> word(Need need, const FieldKey& key,
                                  const std::vector<std::string>& accepted);
  std::optional<std::vector<std::size_t>> words(const FieldKey& key,
                                                const std::vector<std::string>& accepted,
                                                const char* what);

  JsonObject& json_;
};

// Marks the keys of a list as known and reads nothing.
class FieldNames {
 public:
  explicit FieldNames(JsonObject& json) : json_(json) {}
  template <class... What>
  void field(const FieldKey& key, const What&...) {
    json_.raw(key);
  }
  template <class... What>
  void unusual(const FieldKey& key, const What&...) {
    json_.raw(key);
  }

 private:
  JsonObject& json_;
};

}  // namespace quintet
