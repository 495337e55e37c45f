// Answers for programs: keys name their unit; docs/schema/simulate.json describes all. Pure.
#pragma once

#include <optional>
#include <string>

#include "sim/answer/answer.h"
#include "sim/base/result.h"
#include "sim/json/json_value.h"

namespace quintet {

// What `quintet simulate --json` has of a plan in "summary" beside step_summary's keys; what is not
// known, or cannot be, is null. `place`: see places().
JsonValue answer_fields(const Answer& answer, std::optional<int> place);

// {"every", "between_s", "mean_s"} as "steps", where not all steps are alike.
void add_periodic(const Answer& answer, JsonValue& to);

// A whole run; null without.
JsonValue run_json(const std::optional<TrainingRun>& run);

// An error as an entry of "errors"; `file`: of the plan, empty where it is of all.
JsonValue error_entry(const std::string& file, const Error& error);

// {"schema_version": 2, "errors": [...]}, a line end behind it: nothing could be answered.
std::string errors_json(const std::vector<JsonValue>& entries);

inline constexpr int simulate_schema_version = 2;

}  // namespace quintet
