#include "gui/scenario/input_files.h"

#include <optional>

#include "gui/scenario/plan_state.h"
#include "gui/scenario/scenario_command.h"
#include "sim/asked/settings.h"
#include "sim/cost/file/cost_table_file.h"
#include "sim/model/model_file.h"
#include "sim/plan/plan_file.h"
#include "sim/topology/file/explicit_text.h"
#include "sim/topology/file/topology_file.h"
#include "sim/usage/shipped.h"
#include "sim/validate/rows/software_stack.h"

namespace quintet::gui {

namespace {

FileKind file_kind(InputKind kind) {
  switch (kind) {
    case InputKind::model:
      return FileKind::model;
    case InputKind::topology:
      return FileKind::topology;
    case InputKind::plan:
      return FileKind::plan;
    case InputKind::costs:
      return FileKind::costs;
    case InputKind::stack:
      return FileKind::stack;
  }
  return FileKind::plan;
}

std::string Scenario::*member_of(InputKind kind) {
  switch (kind) {
    case InputKind::model:
      return &Scenario::model;
    case InputKind::topology:
      return &Scenario::topology;
    case InputKind::plan:
      return &Scenario::plan;
    case InputKind::costs:
      return &Scenario::costs;
    case InputKind::stack:
      return &Scenario::stack;
  }
  return &Scenario::plan;
}

template <class T>
std::optional<Error> error_in(const Result<T>& result) {
  return result ? std::nullopt : std::optional(result.error());
}

std::optional<Error> error_of(InputKind kind, const std::filesystem::path& file) {
  switch (kind) {
    case InputKind::model:
      return error_in(read_model(file));
    case InputKind::topology:
      return error_in(read_topology(file));
    case InputKind::plan:
      return error_in(read_plan(file));
    case InputKind::costs:
      return error_in(read_cost_table(file));
    case InputKind::stack:
      return error_in(read_stack(file));
  }
  return std::nullopt;
}

bool is_of_machine(const Setting& setting) {
  const Result<AskedField> field = asked_field(setting.path + "=" + setting.value);
  return field && field->file == AskedFile::topology;
}

}  // namespace

std::string_view name_of(InputKind kind) {
  switch (kind) {
    case InputKind::model:
      return "model";
    case InputKind::topology:
      return "machine";
    case InputKind::plan:
      return "plan";
    case InputKind::costs:
      return "costs";
    case InputKind::stack:
      return "stack";
  }
  return "";
}

const std::string& input_of(const Scenario& scenario, InputKind kind) {
  return scenario.*member_of(kind);
}

std::vector<std::string> shipped_inputs(InputKind kind) {
  return shipped_names(file_kind(kind));
}

Result<Scenario> with_input(Scenario scenario, InputKind kind, const std::string& given) {
  const bool may_be_left_out = kind == InputKind::costs || kind == InputKind::stack;
  if (!given.empty() || !may_be_left_out) {
    const Result<std::filesystem::path> file = find_file(file_kind(kind), given);
    if (!file) return file.error();
    if (auto error = error_of(kind, *file)) return *error;
  }
  if (kind == InputKind::topology && scenario.topology != given) scenario.hosts.reset();
  scenario.*member_of(kind) = given;
  return scenario;
}

Result<std::string> edited_plan_text(const Scenario& scenario, int ranks) {
  const PlanState state = plan_state(scenario, ranks);
  if (!state.plan) return *state.error;
  return plan_text(*state.plan);
}

Result<std::string> edited_machine_text(const Scenario& scenario) {
  const Result<InputNames> names = input_names(scenario);
  if (!names) return names.error();
  const Result<std::filesystem::path> file = find_file(FileKind::topology, scenario.topology);
  if (!file) return file.error();
  const Result<Topology> machine =
      read_topology(*file, {scenario.hosts, {}, names->asked.front().topology});
  if (!machine) return machine.error();
  return explicit_text(*machine);
}

Scenario on_saved_plan(Scenario scenario, const std::string& file) {
  scenario = with_plan_as_file(std::move(scenario));
  scenario.plan = file;
  return scenario;
}

Scenario on_saved_machine(Scenario scenario, const std::string& file) {
  std::erase_if(scenario.settings, is_of_machine);
  scenario.topology = file;
  scenario.hosts.reset();
  return scenario;
}

}  // namespace quintet::gui
