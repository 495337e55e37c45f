// Advice for programs: keys name their unit; docs/schema/advice.json describes all. Pure.
#pragma once

#include "sim/advice/advice.h"
#include "sim/json/json_value.h"

namespace quintet {

inline constexpr int advice_schema_version = 1;

// A program that has other keys beside them puts this under one of its own.
JsonValue advice_json(const Advice& advice);

}  // namespace quintet
