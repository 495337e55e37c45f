// Options that ask for a plan by its usual fields: "--tensor 8 --pipeline 2", or "--tp 8 --pp 2".
#pragma once

#include <array>
#include <string>
#include <vector>

#include "sim/asked/settings.h"
#include "sim/base/result.h"
#include "sim/usage/verb.h"

namespace quintet {

inline constexpr std::size_t plan_flag_count = 22;

struct PlanFlags {
  std::array<std::string, plan_flag_count> values;  // empty: not given
  std::vector<std::string> set;                     // of --set
};

// They write into `flags`, which must outlive the command line; --set is the last.
Options plan_flag_options(PlanFlags& flags);

// What was asked for by both. Fails as asked_fields() does.
Result<AskedFields> asked_fields(const PlanFlags& flags);

// Whether a plan could be made from these alone: something of the plan was said.
bool says_of_plan(const AskedFields& settings);

}  // namespace quintet
