#include "sim/cost/file/operator_curves_file.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "sim/cost/file/cost_fields.h"
#include "sim/cost/file/cost_lists.h"
#include "sim/cost/file/measured_operators_file.h"
#include "sim/cost/file/operator_text.h"
#include "sim/cost/operator_curves.h"
#include "sim/cost/operator_family.h"
#include "sim/json/json_value.h"

namespace quintet {
namespace {

// Beyond what can be solved in a moment; and of numbers, what keeps the covariance finite.
constexpr std::size_t most_points = 400;
constexpr double least_log = 1e-4, most_log = 100;

std::vector<double> read_lengths(JsonObject& fields) {
  if (RecordedField* const field =
          fields.record("lengths", FieldKind::list, JsonObject::Need::required)) {
    only_entry(*field).kind = FieldKind::number;
    return {};
  }
  const nlohmann::json* const list = fields.raw("lengths");
  std::vector<double> lengths;
  const bool known = list != nullptr && list->is_array();
  if (known)
    for (const nlohmann::json& each : *list) {
      const bool number = each.is_number();
      const double length = number ? each.get<double>() : 0;
      if (length < least_log || length > most_log) {
        fields.fail("lengths", "expected numbers from 0.0001 to 100, found " +
                                   (number ? dumped(each) : described(each)));
        return {};
      }
      lengths.push_back(length);
    }
  else if (!fields.failed())
    fields.fail("lengths", "expected an array of a number per size");
  return lengths;
}

void check_point(JsonObject& fields, const MeasuredOperator& point,
                 const std::vector<MeasuredOperator>& before) {
  if (fields.failed()) return;
  if (natural_work(point.work) <= 0 || !(point.time > Seconds{}))
    fields.fail("time", "expected an operator with work that took time");
  else if (!before.empty() && family_of(point.work) != family_of(before.front().work))
    fields.fail("operator", "\"" + operator_text(point.work) + "\" is of another family than \"" +
                                operator_text(before.front().work) + "\"");
}

std::vector<MeasuredOperator> read_points(JsonObject& fields, const Smoothness& smoothness) {
  std::vector<MeasuredOperator> points;
  for (JsonObject& each : fields.objects_or_empty("points")) {
    const MeasuredOperator point = read_measured_operator(each);
    if (!each.recording()) check_point(each, point, points);
    finish(each, fields);
    points.push_back(point);
  }
  if (fields.failed() || fields.recording()) return points;
  if (points.empty() || points.size() > most_points)
    fields.fail("points", fmt::format("expected 1 to {} measured operators, found {}", most_points,
                                      points.size()));
  else if (smoothness.lengths.size() != sizes_of(points.front().work).size())
    fields.fail("lengths",
                fmt::format("expected {} numbers, one per size, found {}",
                            sizes_of(points.front().work).size(), smoothness.lengths.size()));
  return points;
}

}  // namespace

std::optional<OperatorCurve> read_operator_curve(JsonObject& fields) {
  Smoothness smoothness;
  smoothness.amplitude = number_in(fields, "amplitude", least_log, most_log);
  smoothness.noise = number_in(fields, "noise", least_log, most_log);
  smoothness.lengths = read_lengths(fields);
  Residuals residuals;
  FieldReader(fields).required("residuals", residuals);
  std::vector<MeasuredOperator> points = read_points(fields, smoothness);
  if (fields.failed() || fields.recording()) return std::nullopt;
  return curve_through(std::move(points), std::move(smoothness), residuals);
}

// A line a point, as operators are.
std::string json_text(const OperatorCurve& curve) {
  JsonValue json;
  json["amplitude"] = curve.smoothness.amplitude;
  json["noise"] = curve.smoothness.noise;
  json["lengths"] = curve.smoothness.lengths;
  Residuals residuals = curve.residuals;
  json["residuals"] = FieldWriter(Digits::exact).written(residuals);
  std::string text = json.dump();
  text.pop_back();
  std::string points;
  for (const MeasuredOperator& each : curve.points)
    points += (points.empty() ? "\n      " : ",\n      ") + json_text(each);
  return text + ",\"points\":[" + points + "]}";
}

}  // namespace quintet
