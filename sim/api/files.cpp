#include "quintet/files.h"

#include <filesystem>

#include "sim/api/checked.h"
#include "sim/base/text_file.h"
#include "sim/cost/file/cost_table_file.h"
#include "sim/model/model_file.h"
#include "sim/model/parameters.h"
#include "sim/plan/plan_file.h"
#include "sim/topology/file/topology_file.h"
#include "sim/usage/shipped.h"

namespace quintet::api {
namespace {

File loaded(FileKind kind, const std::string& name_or_path) {
  const std::filesystem::path path = checked(find_file(kind, name_or_path));
  return {path.string(), checked(read_text_file(path)), path.parent_path().string()};
}

Model model_in(File file) {
  const quintet::Model model = checked(parse_model(file.json, file.where));
  return {std::move(file), model.name,  total_parameters(model), model.layers,
          model.hidden,    model.heads, model.vocabulary,        model.max_positions};
}

Topology topology_in(File file, std::optional<int> hosts) {
  const quintet::Topology machine =
      checked(parse_topology(file.json, file.where, file.folder, {hosts, {}, {}}));
  return {std::move(file),
          hosts,
          machine.name,
          machine.description,
          machine.gpu_specs.empty() ? "CPU" : machine.gpu_specs.front().name,
          static_cast<int>(machine.hosts.size()),
          static_cast<int>(rank_slots(machine).size())};
}

Plan plan_in(File file) {
  const quintet::Plan plan = checked(parse_plan(file.json, file.where));
  const std::string stem = std::filesystem::path(file.where).stem().string();
  return {std::move(file), plan.name.empty() ? stem : plan.name, world_size(plan.parallelism)};
}

Costs costs_in(File file) {
  const CostTable table = checked(parse_cost_table(file.json, file.where));
  return {std::move(file), table.name, table.gpu};
}

}  // namespace

Model load_model(const std::string& name_or_path) {
  return model_in(loaded(FileKind::model, name_or_path));
}

Topology load_topology(const std::string& name_or_path, std::optional<int> hosts) {
  return topology_in(loaded(FileKind::topology, name_or_path), hosts);
}

Plan load_plan(const std::string& name_or_path) {
  return plan_in(loaded(FileKind::plan, name_or_path));
}

Costs load_costs(const std::string& name_or_path) {
  return costs_in(loaded(FileKind::costs, name_or_path));
}

Model model_of(const std::string& json, const std::string& name) {
  return model_in({name, json, ""});
}

Topology topology_of(const std::string& json, std::optional<int> hosts, const std::string& name) {
  return topology_in({name, json, (data_directory() / "topologies").string()}, hosts);
}

Plan plan_of(const std::string& json, const std::string& name) {
  return plan_in({name, json, ""});
}

Costs costs_of(const std::string& json, const std::string& name) {
  return costs_in({name, json, ""});
}

std::vector<std::string> shipped_models() {
  return shipped_names(FileKind::model);
}

std::vector<std::string> shipped_topologies() {
  return shipped_names(FileKind::topology);
}

std::vector<std::string> shipped_plans() {
  return shipped_names(FileKind::plan);
}

std::vector<std::string> shipped_costs() {
  return shipped_names(FileKind::costs);
}

}  // namespace quintet::api
