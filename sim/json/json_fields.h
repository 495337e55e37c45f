// Reading JSON with its place: every complaint says file, path inside it, what was found and what
// is accepted. Only reader .cpp files include this header (it brings nlohmann/json in).
#pragma once

#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/base/quantity_text.h"
#include "sim/base/result.h"
#include "sim/base/units.h"
#include "sim/json/field_description.h"

namespace quintet {

// A field by its key, and what it means to who writes the file.
struct FieldKey {
  FieldKey(const char* key) : name(key) {}
  FieldKey(std::string_view key) : name(key) {}
  FieldKey(const std::string& key) : name(key) {}
  FieldKey(std::string_view key, std::string_view means) : name(key), meaning(means) {}
  operator std::string_view() const { return name; }
  std::string_view name, meaning;
};

// Parses; syntax errors give line and column. Refuses duplicate keys and nesting deeper than 64.
// Never throws.
Result<nlohmann::json> parse_json(const std::string& text, const std::string& where);

// One object being read. Every field asked for is marked as known; `unknown_keys` reports the rest.
// The first thing wrong is kept (`error()`); later reads return defaults, so a reader stays a
// straight line.
class JsonObject {
 public:
  enum class Need { required, optional };

  // `json` must outlive this. Not an object: error() says so.
  JsonObject(const nlohmann::json& json, std::string where);
  // Nothing is read and nothing complained of: what is asked for is recorded. It must outlive this.
  explicit JsonObject(FieldRecording& recording);
  bool recording() const { return recording_ != nullptr; }
  // What is read otherwise than by the functions below; nothing where none is recorded.
  RecordedField* record(const FieldKey& key, FieldKind kind, Need need = Need::optional);

  bool has(std::string_view key) const;
  bool failed() const { return error_.has_value(); }
  const std::optional<Error>& error() const { return error_; }
  std::string place(std::string_view key) const;  // "file.json: network.leaf"

  // Required fields; missing or wrong: error. Numbers must be finite. A missing one names the key
  // that looks like it.
  std::string text(const FieldKey& key);
  double number(const FieldKey& key);
  int integer(const FieldKey& key, int least, int most);
  bool boolean(const FieldKey& key);
  Bytes bytes(const FieldKey& key);           // >= 0
  Seconds seconds(const FieldKey& key);       // >= 0
  Bandwidth bandwidth(const FieldKey& key);   // > 0
  FlopRate flop_rate(const FieldKey& key);    // > 0
  Watts watts(const FieldKey& key);           // >= 0
  DollarsPerHour price(const FieldKey& key);  // >= 0
  DataType data_type(const FieldKey& key);

  // Optional: the fallback when the key is absent, an error when it is there and wrong.
  std::string text_or(const FieldKey& key, std::string fallback);
  double number_or(const FieldKey& key, double fallback);
  int integer_or(const FieldKey& key, int fallback, int least, int most);
  bool boolean_or(const FieldKey& key, bool fallback);
  Bytes bytes_or(const FieldKey& key, Bytes fallback);
  Seconds seconds_or(const FieldKey& key, Seconds fallback);
  Bandwidth bandwidth_or(const FieldKey& key, Bandwidth fallback);
  DataType data_type_or(const FieldKey& key, DataType fallback);
  std::vector<int> integers_or(const FieldKey& key, std::vector<int> fallback, int least, int most);

  // One word out of a closed set. The error lists the words and the nearest one ("did you mean
  // ...").
  template <class Enum>
  Enum one_of(const FieldKey& key, std::initializer_list<std::pair<std::string_view, Enum>> words) {
    return one_of_or(key, std::optional<Enum>{}, words);
  }
  template <class Enum>
  Enum one_of_or(const FieldKey& key, std::optional<Enum> fallback,
                 std::initializer_list<std::pair<std::string_view, Enum>> words) {
    std::vector<std::string_view> names;
    for (const auto& [name, value] : words) names.push_back(name);
    const std::optional<std::size_t> found =
        word(key, names, fallback ? Need::optional : Need::required);
    return found ? (words.begin() + *found)->second : fallback.value_or(words.begin()->second);
  }

  // Which of the names it is; none when the key is absent or wrong.
  std::optional<std::size_t> word(const FieldKey& key, const std::vector<std::string_view>& names,
                                  Need need);

  // Children. Absent and required: error and an empty object/array are returned.
  JsonObject object(const FieldKey& key);
  JsonObject object_or_empty(const FieldKey& key);
  std::vector<JsonObject> objects_or_empty(const FieldKey& key);  // an array of objects
  const nlohmann::json* raw(const FieldKey& key);  // marks it known; nullptr when absent

  void fail(std::string_view key, const std::string& what);
  // Takes over a child's error, if any.
  void adopt(const JsonObject& child);
  // Keys never asked for become an error that names the nearest known key.
  void refuse_unknown_keys();

 private:
  enum class Zero { accepted, refused };
  template <class Quantity>
  struct Reading {
    Result<Quantity> (*parse)(std::string_view);
    std::string_view example;
    Zero zero;
    FieldKind kind;
  };

  std::string read_text(const FieldKey& key, Need need, std::string fallback);
  double read_number(const FieldKey& key, Need need, double fallback);
  int read_integer(const FieldKey& key, Need need, int fallback, int least, int most);
  bool read_boolean(const FieldKey& key, Need need, bool fallback);
  template <class Quantity>
  Quantity read_quantity(const FieldKey& key, Need need, Quantity fallback,
                         const Reading<Quantity>& reading);
  Bytes read_bytes(const FieldKey& key, Need need, Bytes fallback);
  Seconds read_seconds(const FieldKey& key, Need need, Seconds fallback);
  Bandwidth read_bandwidth(const FieldKey& key, Need need, Bandwidth fallback);
  DataType read_data_type(const FieldKey& key, Need need, DataType fallback);
  JsonObject child(const FieldKey& key, Need need);
  JsonObject(FieldRecording& recording, RecordedField& node, std::string where);
  // Null when absent, or when something was wrong before.
  const nlohmann::json* find(std::string_view key, Need need, std::string_view expected);
  void fail_expecting(std::string_view key, std::string_view expected, const nlohmann::json& found);
  std::string misspelt(std::string_view missing) const;

  void record_range(const FieldKey& key, FieldKind kind, Need need, double least, double most);

  const nlohmann::json* json_;
  std::string where_;  // "file.json: network"; a bare file name at the root
  std::set<std::string, std::less<>> known_;
  std::optional<Error> error_;
  FieldRecording* recording_ = nullptr;
  RecordedField* node_ = nullptr;
};

// Null where the text is no JSON: for what another program of ours wrote, or did not.
nlohmann::json json_or_null(const std::string& text);

// On one line, keys sorted; what is no UTF-8 is replaced.
std::string dumped(const nlohmann::json& json);
// What was found, for a message: "an array", "the number 3".
std::string described(const nlohmann::json& json);
// "tree, ring"
std::string joined(const std::vector<std::string_view>& words);

}  // namespace quintet
