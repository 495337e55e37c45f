#include "sim/validate/fit/free_parameter.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "sim/json/json_fields.h"

namespace quintet {

namespace {

struct Measured {
  double number = 0;
  std::string unit;
};

// 0.5 or "60 us"
std::optional<Measured> measured(const nlohmann::json& json) {
  if (json.is_number()) return Measured{json.get<double>(), ""};
  if (!json.is_string()) return std::nullopt;
  const std::string& text = json.get_ref<const std::string&>();
  Measured found;
  const char* const end = text.data() + text.size();
  const auto [stopped, code] = std::from_chars(text.data(), end, found.number);
  if (code != std::errc{} || stopped == end || *stopped != ' ') return std::nullopt;
  found.unit = std::string(stopped + 1, end);
  return found;
}

std::vector<std::string> texts(JsonObject& fields, const char* key) {
  std::vector<std::string> found;
  const nlohmann::json* const json = fields.raw(key);
  if (json && json->is_array())
    for (const nlohmann::json& element : *json)
      if (element.is_string()) found.push_back(element.get<std::string>());
  if (!fields.failed() && (!json || found.empty() || found.size() != json->size()))
    fields.fail(key, "expected an array of at least one text");
  return found;
}

ParameterRange read_interval(JsonObject& fields) {
  const nlohmann::json* const json = fields.raw("range");
  if (fields.failed()) return {};
  if (json && json->is_array() && json->size() == 2) {
    const auto low = measured((*json)[0]), high = measured((*json)[1]);
    if (low && high && low->unit == high->unit && low->number < high->number)
      return ContinuousRange{low->number, high->number, low->unit};
  }
  fields.fail("range", "expected two rising values of one unit, such as [\"20 us\", \"150 us\"]");
  return {};
}

ParameterRange read_range(JsonObject& fields) {
  if (!fields.has("choices")) return read_interval(fields);
  Choices choices;
  const nlohmann::json* const json = fields.raw("choices");
  if (json && json->is_array())
    for (const nlohmann::json& value : *json) choices.values.push_back(dumped(value));
  if (!fields.failed() && choices.values.size() < 2)
    fields.fail("choices", "expected an array of at least two values");
  return choices;
}

std::string number_text(double number) {
  std::array<char, 32> digits{};  // as printf's %.4g, in every locale
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number,
                                 std::chars_format::general, 4);
  return std::string(digits.data(), end.ptr);
}

double position(const ContinuousRange& interval, double number) {
  if (interval.low > 0)
    return std::log(number / interval.low) / std::log(interval.high / interval.low);
  return (number - interval.low) / (interval.high - interval.low);
}

double number_at(const ContinuousRange& interval, double share) {
  if (interval.low > 0) return interval.low * std::pow(interval.high / interval.low, share);
  return interval.low + share * (interval.high - interval.low);
}

std::string value_of(const ContinuousRange& interval, double number) {
  const std::string digits = number_text(number);
  return interval.unit.empty() ? digits : dumped(digits + " " + interval.unit);
}

Result<int> nearest(const ContinuousRange& interval, const std::string& value) {
  const Result<nlohmann::json> json = parse_json(value, "value");
  if (!json) return json.error();
  const auto found = measured(*json);
  if (!found || found->unit != interval.unit)
    return Error{value, "expected a value in the unit of its range, " + text(interval)};
  if (found->number < interval.low || found->number > interval.high)
    return Error{value, "lies outside its range, " + text(interval)};
  return static_cast<int>(std::lround(position(interval, found->number) * (interval_points - 1)));
}

Result<int> nearest(const Choices& choices, const std::string& value) {
  const auto found = std::find(choices.values.begin(), choices.values.end(), value);
  if (found == choices.values.end())
    return Error{value, "is none of its choices, " + text(ParameterRange{choices})};
  return static_cast<int>(found - choices.values.begin());
}

}  // namespace

std::vector<FreeParameter> read_free_parameters(JsonObject& holder) {
  std::vector<FreeParameter> all;
  for (JsonObject& fields : holder.objects_or_empty("free")) {
    FreeParameter parameter;
    parameter.path = fields.text("parameter");
    parameter.meaning = fields.text("meaning");
    parameter.source = fields.text("source");
    parameter.chosen_on = texts(fields, "chosen_on");
    parameter.range = read_range(fields);
    parameter.judged_by = fields.one_of<JudgedBy>(
        "judged_by", {{"step_time", JudgedBy::step_time}, {"memory", JudgedBy::memory}});
    if (!fields.failed()) fields.refuse_unknown_keys();
    holder.adopt(fields);
    all.push_back(std::move(parameter));
  }
  return all;
}

int points_of(const ParameterRange& range) {
  const auto* const choices = std::get_if<Choices>(&range);
  return choices ? static_cast<int>(choices->values.size()) : interval_points;
}

std::string value_at(const ParameterRange& range, int point) {
  return std::visit(
      Match{[&](const Choices& choices) { return choices.values[static_cast<std::size_t>(point)]; },
            [&](const ContinuousRange& interval) {
              const double share = point / (interval_points - 1.0);
              return value_of(interval, number_at(interval, share));
            }},
      range);
}

Result<int> nearest_point(const ParameterRange& range, const std::string& value) {
  return std::visit([&](const auto& kind) { return nearest(kind, value); }, range);
}

std::string text(const ParameterRange& range) {
  if (const auto* const interval = std::get_if<ContinuousRange>(&range))
    return plain(value_of(*interval, interval->low)) + " to " +
           plain(value_of(*interval, interval->high));
  std::string all;
  for (const std::string& value : std::get<Choices>(range).values)
    all += (all.empty() ? "" : " or ") + plain(value);
  return all;
}

std::string plain(const std::string& value) {
  const bool quoted = value.size() >= 2 && value.front() == '"' && value.back() == '"';
  return quoted ? value.substr(1, value.size() - 2) : value;
}

}  // namespace quintet
