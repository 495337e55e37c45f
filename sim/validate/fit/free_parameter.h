// A number or switch of the shipped files that was chosen on published steps, instead of being
// looked up or measured by itself. Declared where its value stands, under "free":
//   {"parameter": "costs.eager", "meaning": ..., "range": ["20 us", "150 us"],
//    "judged_by": "step_time", "chosen_on": ["e2e_vtrain_a100_single_node"], "source": ...}
// or, for a switch or a choice, "choices": [true, false] in place of the range.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "sim/base/result.h"

namespace quintet {

class JsonObject;

enum class JudgedBy { step_time, memory };

// From low to high, both in `unit` (empty: a plain number).
struct ContinuousRange {
  double low = 0, high = 0;
  std::string unit;
  bool operator==(const ContinuousRange&) const = default;
};

// JSON texts of the values to choose from.
struct Choices {
  std::vector<std::string> values;
  bool operator==(const Choices&) const = default;
};

using ParameterRange = std::variant<ContinuousRange, Choices>;

struct FreeParameter {
  std::string path;                    // see json_path.h
  std::string meaning;                 // what it is in the world
  std::string source;                  // why the range is plausible
  std::vector<std::string> chosen_on;  // names of files of rows, without directory and ending
  ParameterRange range;
  JudgedBy judged_by = JudgedBy::step_time;
  std::string value;  // as it ships, JSON text
  bool operator==(const FreeParameter&) const = default;
};

// Reads `free` of an object, if it is there; values are left empty. The object's error() tells what
// is wrong.
std::vector<FreeParameter> read_free_parameters(JsonObject& holder);

// The values that a search may try: all choices, or `interval_points` of an interval, evenly spaced
// by their logarithms when it lies above zero.
inline constexpr int interval_points = 65;
int points_of(const ParameterRange& range);
std::string value_at(const ParameterRange& range, int point);  // JSON text
// The point nearest to a value (JSON text). Error: it is no choice, has another unit than the
// interval or lies outside.
Result<int> nearest_point(const ParameterRange& range, const std::string& value);

// "20 us to 150 us", "true or false"
std::string text(const ParameterRange& range);
// A JSON text as people read it: without quotes.
std::string plain(const std::string& value);

}  // namespace quintet
