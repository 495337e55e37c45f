#include "gui/scenario/plan_state.h"

#include <algorithm>

#include "gui/scenario/scenario_command.h"
#include "sim/asked/sample_lengths.h"
#include "sim/asked/settings.h"
#include "sim/base/text_file.h"
#include "sim/plan/asked_plan.h"
#include "sim/plan/plan_file.h"
#include "sim/usage/shipped.h"

namespace quintet::gui {

namespace {

Result<PlanBase> base_of(const Scenario& scenario) {
  if (scenario.plan.empty()) return PlanBase{"{}", "the plan asked for", false, {}};
  const Result<std::filesystem::path> file = find_file(FileKind::plan, scenario.plan);
  if (!file) return file.error();
  Result<std::string> text = read_text_file(*file);
  if (!text) return text.error();
  return PlanBase{std::move(*text), file->string(), true, file->parent_path()};
}

Result<FieldChanges> changes_of(const Scenario& scenario) {
  const Result<InputNames> names = input_names(scenario);
  if (!names) return names.error();
  if (names->asked.size() == 1) return names->asked.front().plan;
  return Error{"", "several values, with commas between them, are for the sweep page; give one"};
}

Result<Plan> plan_of(const Scenario& scenario, const PlanBase& base, int ranks) {
  const Result<FieldChanges> changes = changes_of(scenario);
  if (!changes) return changes.error();
  return with_lengths(asked_plan(base, *changes, ranks), base.folder);
}

bool lies_in(std::string_view path, std::string_view field) {
  return path.starts_with(field) &&
         (path.size() == field.size() || path[field.size()] == '.' || path[field.size()] == '[');
}

// "network" is the plan's where the field is; all else of the plan that is no layer stands behind
// "plan.".
std::string path_to_set(const std::string& field) {
  const Setting plain{field, "x"};
  return plan_field_of(plain) == field ? field : "plan." + field;
}

Scenario without(Scenario scenario, const std::string& field) {
  std::erase_if(scenario.settings, [&](const Setting& each) {
    const auto path = plan_field_of(each);
    return path && lies_in(*path, field);
  });
  return scenario;
}

Scenario with(const Scenario& scenario, const std::string& field, const std::string& value) {
  for (const Setting& each : scenario.settings)
    if (plan_field_of(each) == field) return with_setting(scenario, each.path, value);
  return with_setting(scenario, path_to_set(field), value);
}

}  // namespace

std::optional<std::string> plan_field_of(const Setting& setting) {
  const Result<AskedField> field = asked_field(setting.path + "=" + setting.value);
  if (!field || field->file != AskedFile::plan) return std::nullopt;
  return field->path;
}

PlanState plan_state(const Scenario& scenario, int ranks) {
  PlanState state;
  const FieldDescription fields = plan_fields();
  for (const Setting& each : scenario.settings)
    if (const auto field = plan_field_of(each)) state.asked[*field] = plain_value(each.value);
  const Result<PlanBase> base = base_of(scenario);
  if (!base) {
    state.error = base.error();
    return state;
  }
  if (const Result<Plan> file = parse_plan(base->text, base->where)) {
    state.said = field_texts(fields, base->text);
    state.as_file = field_texts(fields, plan_text(*file));
  }
  const Result<Plan> plan = plan_of(scenario, *base, ranks);
  if (plan) {
    state.plan = *plan;
    state.value = field_texts(fields, plan_text(*plan));
  } else {
    state.error = plan.error();
    state.value = state.as_file;
    for (const auto& [field, value] : state.asked) state.value[field] = value;
  }
  return state;
}

Result<Scenario> with_plan_field(const Scenario& scenario, const std::string& field,
                                 const std::string& value, int ranks) {
  const Result<PlanBase> base = base_of(scenario);
  if (!base) return base.error();
  const Scenario as_file = without(scenario, field);
  const Result<Plan> file_plan = plan_of(as_file, *base, ranks);
  if (value.empty()) {
    if (!file_plan) return file_plan.error();
    return as_file;
  }
  const Scenario changed = with(scenario, field, value);
  const Result<Plan> plan = plan_of(changed, *base, ranks);
  if (!plan) return plan.error();
  // What is so anyhow need not be asked for.
  if (file_plan && *plan == *file_plan) return as_file;
  return changed;
}

Scenario with_plan_as_file(Scenario scenario) {
  std::erase_if(scenario.settings,
                [](const Setting& each) { return plan_field_of(each).has_value(); });
  return scenario;
}

}  // namespace quintet::gui
