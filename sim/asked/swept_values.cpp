#include "sim/asked/swept_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "sim/json/field_change.h"

namespace quintet {

namespace {

constexpr const char* accepted =
    "give values as 1,2,4, or a range as 1..4, 0.2..1 by 0.2, 1..64 times 2";

Error wrong(std::string_view text, const std::string& what) {
  return {fmt::format("values \"{}\"", text), what};
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// A number and its unit: "100Gbps".
struct Measured {
  double number = 0.0;
  std::string unit;
};

std::optional<Measured> measured(std::string_view text) {
  text = trimmed(text);
  Measured found;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), found.number);
  if (failed != std::errc{} || !std::isfinite(found.number)) return std::nullopt;
  found.unit = trimmed({end, static_cast<std::size_t>(text.data() + text.size() - end)});
  return found;
}

// "A..B", and behind it "by C" or "times C".
struct ValueSteps {
  Measured from, to, step{1.0, {}};
  bool multiplied = false;
};

std::optional<ValueSteps> steps_of(std::string_view text, std::size_t dots) {
  ValueSteps steps;
  std::string_view rest = text.substr(dots + 2), step;
  for (const std::string_view word : {std::string_view(" by "), std::string_view(" times ")}) {
    const std::size_t at = rest.find(word);
    if (at == std::string_view::npos) continue;
    steps.multiplied = word == " times ";
    step = rest.substr(at + word.size());
    rest = rest.substr(0, at);
  }
  const auto from = measured(text.substr(0, dots)), to = measured(rest);
  const auto by = step.empty() ? std::optional(Measured{1.0, {}}) : measured(step);
  if (!from || !to || !by) return std::nullopt;
  steps.from = *from;
  steps.to = *to;
  steps.step = *by;
  return steps;
}

bool same_units(const ValueSteps& steps) {
  if (!steps.from.unit.empty() && steps.from.unit != steps.to.unit) return false;
  return steps.step.unit.empty() || (!steps.multiplied && steps.step.unit == steps.to.unit);
}

Result<std::vector<std::string>> counted_out(std::string_view text, const ValueSteps& steps) {
  if (!same_units(steps))
    return wrong(text,
                 "the range has several units; give both ends the same, as 100Gbps..400Gbps "
                 "by 100Gbps");
  const double from = steps.from.number, to = steps.to.number, step = steps.step.number;
  const bool leads =
      steps.multiplied ? step > 1.0 && from > 0.0 && to >= from : step > 0.0 && to >= from;
  if (!leads)
    return wrong(text,
                 "the range leads nowhere; it goes upwards by more than 0, or from above 0 "
                 "times more than 1");
  std::vector<std::string> values;
  for (std::size_t i = 0; i <= most_swept_values; ++i) {
    const auto count = static_cast<double>(i);
    // Each from the beginning, so that nothing adds up.
    const double value = steps.multiplied ? from * std::pow(step, count) : from + count * step;
    if (value > to * (1.0 + 1e-9) + (to == 0.0 ? 1e-12 : 0.0)) return values;
    values.push_back(fmt::format("{:.10g}{}", value, steps.to.unit));
  }
  return wrong(text,
               fmt::format("makes more than {} values; take larger steps", most_swept_values));
}

bool is_uneven(const std::vector<double>& numbers) {
  if (numbers.size() < 3) return false;
  const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
  double least = *high - *low;
  for (std::size_t i = 0; i + 1 < numbers.size(); ++i)
    least = std::min(least, std::abs(numbers[i + 1] - numbers[i]));
  return least < (*high - *low) / 12.0;
}

}  // namespace

Result<std::vector<std::string>> swept_values(std::string_view text) {
  text = trimmed(text);
  if (text.empty()) return wrong(text, fmt::format("there are none; {}", accepted));
  if (const std::size_t dots = text.find(".."); dots != std::string_view::npos) {
    const auto steps = steps_of(text, dots);
    if (!steps) return wrong(text, fmt::format("this is no range; {}", accepted));
    return counted_out(text, *steps);
  }
  std::vector<std::string> values;
  for (const std::string& each : listed(text)) {
    const std::string value(trimmed(each));
    if (value.empty()) return wrong(text, fmt::format("one is empty; {}", accepted));
    if (std::find(values.begin(), values.end(), value) != values.end())
      return wrong(text, fmt::format("{} is there twice; give each value once", value));
    values.push_back(value);
  }
  if (values.size() > most_swept_values)
    return wrong(text, fmt::format("there are more than {}; give fewer", most_swept_values));
  return values;
}

std::optional<ScaledValues> to_scale(const std::vector<std::string>& values) {
  ScaledValues scaled;
  for (const std::string& value : values) {
    const std::optional<Measured> found = measured(value);
    if (!found || (!scaled.numbers.empty() && found->unit != scaled.unit)) return std::nullopt;
    scaled.unit = found->unit;
    scaled.numbers.push_back(found->number);
  }
  if (is_uneven(scaled.numbers)) return std::nullopt;
  return scaled;
}

}  // namespace quintet
