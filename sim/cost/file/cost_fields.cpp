#include "sim/cost/file/cost_fields.h"

#include <limits>
#include <utility>

#include "sim/base/json_fields.h"

namespace quintet {

double number_in(JsonObject& fields, std::string_view key, double least, double most) {
  const double value = fields.number(key);
  if (!fields.failed() && (value < least || value > most))
    fields.fail(key, "expected a number from " + nlohmann::json(least).dump() + " to " +
                         nlohmann::json(most).dump() + ", found " + nlohmann::json(value).dump());
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

std::string origin_of(JsonObject& fields) {
  const std::string source = fields.text("source");
  if (!fields.failed() && source.empty())
    fields.fail("source", "must say where the numbers come from");
  // The fitting script writes its error beside the source.
  const std::string fit = fields.text_or("fit", "");
  return fit.empty() ? source : source + "; " + fit;
}

Residuals residuals_or_none(JsonObject& fields, const char* key) {
  Residuals residuals;
  if (!fields.has(key)) return residuals;
  JsonObject child = fields.object(key);
  residuals.p05 = number_in(child, "p05", -1, 1e6);
  residuals.p95 = number_in(child, "p95", -1, 1e6);
  residuals.samples = child.integer("samples", 0, std::numeric_limits<int>::max());
  if (!child.failed() && residuals.p95 < residuals.p05) child.fail("p95", "is below p05");
  finish(child, fields);
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
