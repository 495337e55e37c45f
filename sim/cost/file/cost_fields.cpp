#include "sim/cost/file/cost_fields.h"

#include <fmt/format.h>

#include <utility>

#include "sim/cost/file/cost_lists.h"
#include "sim/json/field_list.h"

namespace quintet {

double number_in(JsonObject& fields, const FieldKey& key, double least, double most) {
  const double value = fields.number(key);
  if (!fields.failed() && (value < least || value > most))
    fields.fail(key,
                fmt::format("expected a number from {} to {}, found {}", least, most, value));
  return value;
}

double number_in_or(JsonObject& fields, const FieldKey& key, double fallback, double least,
                    double most) {
  return fields.has(key) ? number_in(fields, key, least, most) : fallback;
}

std::string origin_of(JsonObject& json) {
  FieldReader reader(json);
  std::string source;
  origin(reader, source);
  return source;
}

JsonValue origin_fields(const std::string& source, const std::string& fit) {
  Origin both{source, fit};
  return FieldWriter(Digits::for_people).written(both);
}

void finish(JsonObject& child, JsonObject& parent) {
  if (!child.failed()) child.refuse_unknown_keys();
  parent.adopt(child);
}

}  // namespace quintet
