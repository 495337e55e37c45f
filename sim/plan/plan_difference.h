// Two plans field by field.
#pragma once

#include <string>
#include <vector>

#include "sim/plan/plan.h"

namespace quintet {

struct FieldDifference {
  std::string path;        // "parallelism.tensor"
  std::string one, other;  // as JSON
  std::string usual;       // what it is when it is left out; empty: not the same for all plans
  bool operator==(const FieldDifference&) const = default;
};

// In the order of the file. Fields that are left out have their defaults, so that a plan that says
// them is no other. Names are not compared.
std::vector<FieldDifference> differences(const Plan& one, const Plan& other);

}  // namespace quintet
