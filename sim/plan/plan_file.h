// plan.json <-> Plan.
#pragma once

#include <filesystem>
#include <string>

#include "sim/base/result.h"
#include "sim/json/field_description.h"
#include "sim/plan/plan.h"

namespace quintet {

// The error names the file, the field and what is accepted.
Result<Plan> read_plan(const std::filesystem::path& file);
// `where` names the text in errors. Never throws, whatever the text.
Result<Plan> parse_plan(const std::string& text, const std::string& where);
// Readable again by parse_plan, to an equal Plan. Defaults are written out.
std::string plan_text(const Plan& plan);
// All fields, in the order of the file.
FieldDescription plan_fields();

}  // namespace quintet
