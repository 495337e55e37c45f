#include "sim/cost/refit/refitted_file.h"

#include <fmt/format.h>

#include <cassert>
#include <utility>
#include <vector>

#include "sim/cost/file/cost_table_file.h"
#include "sim/cost/refit/refitted.h"
#include "sim/json/json_value.h"

namespace quintet {

namespace {

constexpr std::size_t width = 100;  // of lines, where it can be had

// A value on a line where it fits, else a line for each of what it holds.
std::string laid_out(const JsonValue& value, std::size_t indent) {
  std::string line = value.dump();
  if (line.size() + indent <= width || (line.front() != '{' && line.front() != '[')) return line;
  const std::string blanks(indent + 2, ' ');
  std::string inner;
  const auto add = [&](const std::string& key, const JsonValue& each) {
    inner += (inner.empty() ? "\n" : ",\n") + blanks + key + laid_out(each, indent + 2);
  };
  if (value.is_array())
    for (const JsonValue& each : value.elements()) add("", each);
  else
    for (const JsonField& each : value.fields()) add(JsonValue(each.key).dump() + ": ", each.value);
  return line.front() + inner + "\n" + std::string(indent, ' ') + line.back();
}

void drop(JsonValue* list, PointPlace place, const ExcludedPoints& excluded) {
  if (list != nullptr) list->elements() = accepted(list->elements(), place, excluded);
}

void drop_of_each(JsonValue* curves, PointList kind, const ExcludedPoints& excluded) {
  if (curves == nullptr) return;
  for (std::size_t i = 0; i < curves->size(); ++i)
    drop(curves->elements()[i].find("points"), {kind, i, 0}, excluded);
}

// The new fit beside the points that are left.
void set_fit(JsonValue& json, const OperatorCurve& curve) {
  json["amplitude"] = curve.smoothness.amplitude;
  json["noise"] = curve.smoothness.noise;
  json["lengths"] = curve.smoothness.lengths;
  json["residuals"] = JsonValue{{"p05", curve.residuals.p05},
                                {"p95", curve.residuals.p95},
                                {"samples", curve.residuals.samples}};
}

void set_fits(JsonValue* curves, const CostTable& before, const CostTable& after) {
  for (std::size_t i = 0; i < after.curves.size(); ++i)
    if (after.curves[i].points.size() != before.curves[i].points.size())
      set_fit(curves->elements()[i], after.curves[i]);
}

}  // namespace

Result<std::string> refitted_text(const std::string& text, const std::string& where,
                                  const ExcludedPoints& excluded) {
  const Result<CostTable> before = parse_cost_table(text, where);
  if (!before) return before.error();
  if (excluded.empty()) return text;
  if (auto error = why_not_without(*before, excluded)) return std::move(*error);
  const CostTable after = refitted(*before, excluded);
  JsonValue json = JsonValue::parse(text);
  drop(json.find("operators"), {PointList::exact_operator, 0, 0}, excluded);
  drop_of_each(json.find("curves"), PointList::operator_curve, excluded);
  set_fits(json.find("curves"), *before, after);
  if (JsonValue* communication = json.find("communication")) {
    drop_of_each(communication->find("curves"), PointList::collective, excluded);
    drop_of_each(communication->find("messages"), PointList::message, excluded);
  }
  json.erase("fit");  // the source of the table read holds it
  json["source"] =
      fmt::format("{}; {} of its points left out by hand", before->source, excluded.size());
  return laid_out(json, 0) + "\n";
}

}  // namespace quintet
