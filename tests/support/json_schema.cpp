#include "tests/support/json_schema.h"

#include <algorithm>
#include <set>

namespace quintet::test {
namespace {

using Json = nlohmann::json;
using Complaints = std::vector<std::string>;

bool is_of_type(const Json& value, const std::string& type) {
  if (type == "integer")
    return value.is_number_integer() ||
           (value.is_number_float() &&
            value.get<double>() == static_cast<double>(value.get<std::int64_t>()));
  if (type == "number") return value.is_number();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "null") return value.is_null();
  if (type == "array") return value.is_array();
  return type == "object" && value.is_object();
}

class Checking {
 public:
  explicit Checking(const Json& root) : root_(root) {}

  void check(const Json& value, const Json& schema, const std::string& place) {
    static const std::set<std::string> known{
        "$schema", "$defs",      "title", "description", "$ref",
        "anyOf",   "const",      "enum",  "type",        "minimum",
        "maximum", "properties", "items", "required",    "additionalProperties",
        "minItems"};
    for (const auto& [key, unused] : schema.items())
      if (!known.contains(key)) complain(place, "the schema has \"" + key + "\"");
    if (schema.contains("$ref")) check(value, referred(schema["$ref"]), place);
    if (schema.contains("anyOf")) check_any(value, schema["anyOf"], place);
    check_value(value, schema, place);
    if (value.is_object()) check_object(value, schema, place);
    if (value.is_array()) check_array(value, schema, place);
  }

  Complaints complaints;

 private:
  void complain(const std::string& place, const std::string& what) {
    complaints.push_back(place + ": " + what);
  }
  const Json& referred(const std::string& reference) {
    return root_.at(Json::json_pointer(reference.substr(1)));
  }

  void check_any(const Json& value, const Json& schemas, const std::string& place) {
    Complaints fewest;
    for (const Json& each : schemas) {
      Checking one(root_);
      one.check(value, each, place);
      if (one.complaints.empty()) return;
      if (fewest.empty() || one.complaints.size() < fewest.size()) fewest = one.complaints;
    }
    complaints.insert(complaints.end(), fewest.begin(), fewest.end());
  }

  void check_value(const Json& value, const Json& schema, const std::string& place) {
    if (schema.contains("const") && value != schema["const"])
      complain(place, "expected " + schema["const"].dump());
    if (schema.contains("enum") &&
        std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
      complain(place, "is none of " + schema["enum"].dump() + ": " + value.dump());
    if (schema.contains("type")) check_type(value, schema["type"], place);
    if (!value.is_number()) return;
    if (schema.contains("minimum") && value.get<double>() < schema["minimum"].get<double>())
      complain(place, "is below " + schema["minimum"].dump());
    if (schema.contains("maximum") && value.get<double>() > schema["maximum"].get<double>())
      complain(place, "is above " + schema["maximum"].dump());
  }

  void check_type(const Json& value, const Json& types, const std::string& place) {
    const Json all = types.is_array() ? types : Json::array({types});
    const bool fits = std::any_of(all.begin(), all.end(), [&](const Json& type) {
      return is_of_type(value, type.get<std::string>());
    });
    if (!fits) complain(place, "expected " + types.dump() + ", found " + value.dump());
  }

  void check_object(const Json& value, const Json& schema, const std::string& place) {
    for (const Json& key : schema.value("required", Json::array()))
      if (!value.contains(key.get<std::string>())) complain(place, "has no " + key.dump());
    const Json properties = schema.value("properties", Json::object());
    for (const auto& [key, each] : value.items()) {
      if (properties.contains(key))
        check(each, properties[key], place + "/" + key);
      else if (schema.value("additionalProperties", Json(true)) == Json(false))
        complain(place, "the schema does not know \"" + key + "\"");
    }
  }

  void check_array(const Json& value, const Json& schema, const std::string& place) {
    if (value.size() < schema.value("minItems", std::size_t{0})) complain(place, "is too short");
    if (!schema.contains("items")) return;
    for (std::size_t i = 0; i < value.size(); ++i)
      check(value[i], schema["items"], place + "/" + std::to_string(i));
  }

  const Json& root_;
};

}  // namespace

std::vector<std::string> schema_complaints(const Json& value, const Json& schema) {
  Checking checking(schema);
  checking.check(value, schema, "");
  return checking.complaints;
}

}  // namespace quintet::test
