#include "sim/cost/file/cost_fields.h"

#include <utility>

#include "sim/cost/file/cost_lists.h"
#include "sim/json/field_list.h"

namespace quintet {

double number_in(JsonObject& fields, std::string_view key, double least, double most) {
  const double value = fields.number(key);
  if (!fields.failed() && (value < least || value > most))
    fields.fail(key, "expected a number from " + dumped(least) + " to " + dumped(most) +
                         ", found " + dumped(value));
  return value;
}

double number_in_or(JsonObject& fields, std::string_view key, double fallback, double least,
                    double most) {
  return fields.has(key) ? number_in(fields, key, least, most) : fallback;
}

double efficiency(JsonObject& fields, std::string_view key) {
  return number_in(fields, key, 1e-3, 1.2);
}

double factor_or_one(JsonObject& fields, std::string_view key) {
  return number_in_or(fields, key, 1, 1e-2, 100);
}

std::string origin_of(JsonObject& json) {
  FieldReader reader(json);
  std::string source;
  origin(reader, source);
  return source;
}

Residuals residuals_or_none(JsonObject& json, const char* key) {
  FieldReader reader(json);
  Residuals residuals;
  residuals_field(reader, key, residuals);
  return residuals;
}

CoveredRanges covered_or_none(JsonObject& fields) {
  CoveredRanges ranges;
  for (JsonObject& each : fields.objects_or_empty("covered")) {
    Covered range{each.text("of"), each.number("least"), each.number("most")};
    if (!each.failed() && range.most < range.least) each.fail("most", "is below least");
    ranges.push_back(std::move(range));
    finish(each, fields);
  }
  return ranges;
}

void finish(JsonObject& child, JsonObject& parent) {
  if (!child.failed()) child.refuse_unknown_keys();
  parent.adopt(child);
}

}  // namespace quintet
