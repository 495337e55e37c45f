// The plan of a scenario, field by field: what its file says, what the scenario asks for instead,
// and what is predicted of both.
#pragma once

#include <optional>
#include <string>

#include "gui/scenario/scenario.h"
#include "sim/base/result.h"
#include "sim/json/field_values.h"
#include "sim/plan/plan.h"

namespace quintet::gui {

struct PlanState {
  FieldTexts said;     // in the file
  FieldTexts as_file;  // what would be predicted if the scenario asked for nothing
  FieldTexts value;    // what is predicted; where there is an error, as far as it is known
  FieldTexts asked;    // by the scenario
  std::optional<Plan> plan;
  std::optional<Error> error;  // why there is none
};

// `ranks`: places of the machine, by which degrees that were not asked for follow; 0: not known.
PlanState plan_state(const Scenario& scenario, int ranks);

// Of --set, in whatever spelling: the path in the plan's file; none: it is no field of the plan.
std::optional<std::string> plan_field_of(const Setting& setting);

// The scenario with another value of a field of the plan, as --set takes it; empty: as the file
// says, also of what is inside of the field. Fails where the plan's reader refuses the value, with
// its words.
Result<Scenario> with_plan_field(const Scenario& scenario, const std::string& field,
                                 const std::string& value, int ranks);

// Without any change of the plan.
Scenario with_plan_as_file(Scenario scenario);

}  // namespace quintet::gui
