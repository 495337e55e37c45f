#include "sim/command/inputs.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <string>
#include <utility>

#include "sim/base/shown_text.h"
#include "sim/cost/file/cost_table_file.h"
#include "sim/model/model_file.h"
#include "sim/plan/plan_file.h"
#include "sim/plan/problems/problems.h"
#include "sim/topology/file/topology_file.h"
#include "sim/usage/complain.h"
#include "sim/usage/shipped.h"
#include "sim/validate/rows/software_stack.h"

namespace quintet {
namespace {

template <class T>
struct FromFile {
  std::string file;
  T value;
};

// One file of a kind, by path or shipped name.
template <class T>
Result<FromFile<T>> read_named(FileKind kind, const std::string& given,
                               Result<T> (*read)(const std::filesystem::path&)) {
  const Result<std::filesystem::path> file = find_file(kind, given);
  if (!file) return file.error();
  Result<T> value = read(*file);
  if (!value) return value.error();
  return FromFile<T>{file->string(), std::move(*value)};
}

// The shipped table measured on the machine's GPU.
Result<FromFile<CostTable>> shipped_costs(const Topology& topology) {
  const std::string gpu = topology.gpu_specs.empty() ? "" : topology.gpu_specs.front().name;
  std::vector<std::string> known;
  for (const std::string& name : shipped_names(FileKind::costs)) {
    Result<FromFile<CostTable>> table = read_named(FileKind::costs, name, read_cost_table);
    if (table && !gpu.empty() && table->value.gpu == gpu) return table;
    if (table) known.push_back(name);
  }
  return Error{"--costs", "no shipped cost table was measured on " +
                              (gpu.empty() ? "a machine without GPUs" : in_quotes(gpu)) +
                              "; measure it with quintet calibrate" +
                              (gpu.empty() ? "" : " or quintet fit") + ", or name one of " +
                              joined(known)};
}

// "any" is the GPU of tables that profile whole stages or ideal machines.
std::optional<Error> measured_elsewhere(const FromFile<CostTable>& costs,
                                        const FromFile<Topology>& machine) {
  for (const GpuSpec& gpu : machine.value.gpu_specs)
    if (costs.value.gpu != "any" && costs.value.gpu != gpu.name)
      return Error{costs.file + ": gpu", "measured on " + in_quotes(costs.value.gpu) + ", but " +
                                             machine.file + " has " + in_quotes(gpu.name) +
                                             "; leave out --costs, or name a table of that GPU"};
  return std::nullopt;
}

std::optional<Error> same_name(const std::vector<PlanInput>& plans, const PlanInput& added) {
  for (const PlanInput& other : plans)
    if (other.plan.name == added.plan.name)
      return Error{added.file + ": name", "the plan of " + other.file + " is called " +
                                              in_quotes(added.plan.name) +
                                              " too; give one of them another name"};
  return std::nullopt;
}

std::optional<Error> does_not_fit(const PlanInput& input, const Model& model,
                                  const Topology& topology) {
  std::string lines;
  for (const Problem& problem : problems(input.plan, model, topology))
    lines += "\n  " + problem.field + ": " + problem.reason +
             (problem.remedy.empty() ? "" : "; " + problem.remedy);
  if (lines.empty()) return std::nullopt;
  return Error{input.file, "does not fit this model on this machine" + lines};
}

// One error of all, a line each; of one plan its own.
Error as_one(const std::vector<RefusedPlan>& refused) {
  Error all = refused.front().error;
  for (std::size_t i = 1; i < refused.size(); ++i) all.what += "\n" + refused[i].error.text();
  return all;
}

Result<std::vector<PlanInput>> read_plans(const std::vector<std::string>& names,
                                          std::vector<RefusedPlan>& refused) {
  std::vector<PlanInput> plans;
  for (const std::string& given : names) {
    Result<FromFile<Plan>> read = read_named(FileKind::plan, given, read_plan);
    if (!read) {
      refused.push_back({given, read.error()});
      continue;
    }
    PlanInput input{read->file, std::move(read->value)};
    if (input.plan.name.empty())
      input.plan.name = std::filesystem::path(input.file).stem().string();
    if (const auto error = same_name(plans, input)) return *error;
    plans.push_back(std::move(input));
  }
  if (plans.empty()) return as_one(refused);
  return plans;
}

// What does not fit this model on this machine goes to the refused.
std::optional<Error> sort_out(const Model& model, const Topology& topology,
                              std::vector<PlanInput>& plans, std::vector<RefusedPlan>& refused) {
  std::vector<PlanInput> fit;
  for (PlanInput& plan : plans)
    if (const auto error = does_not_fit(plan, model, topology))
      refused.push_back({plan.file, *error});
    else
      fit.push_back(std::move(plan));
  plans = std::move(fit);
  return plans.empty() ? std::optional(as_one(refused)) : std::nullopt;
}

Result<FromFile<Topology>> read_machine(const InputNames& names) {
  const Result<std::filesystem::path> file = find_file(FileKind::topology, names.topology);
  if (!file) return file.error();
  Result<Topology> topology = read_topology(*file, {names.hosts, {}});
  if (!topology) return topology.error();
  return FromFile<Topology>{file->string(), std::move(*topology)};
}

// Empty when it is a number of hosts.
std::string complaint_of_hosts(const std::string& given) {
  int hosts = 0;
  const char* const end = given.data() + given.size();
  const auto [stopped, failure] = std::from_chars(given.data(), end, hosts);
  if (failure == std::errc{} && stopped == end && hosts >= 1 && hosts <= most_hosts) return "";
  return fmt::format("expected 1 to {}, found {}", most_hosts, in_quotes(given));
}

}  // namespace

Result<Inputs> read_inputs(const InputNames& names) {
  std::vector<RefusedPlan> refused;
  Result<std::vector<PlanInput>> plans = read_plans(names.plans, refused);
  if (!plans) return plans.error();
  Result<FromFile<Model>> model = read_named(FileKind::model, names.model, read_model);
  if (!model) return model.error();
  Result<FromFile<Topology>> machine = read_machine(names);
  if (!machine) return machine.error();
  Result<FromFile<CostTable>> costs =
      names.costs.empty() ? shipped_costs(machine->value)
                          : read_named(FileKind::costs, names.costs, read_cost_table);
  if (!costs) return costs.error();
  if (const auto error = measured_elsewhere(*costs, *machine)) return *error;
  if (const auto error = sort_out(model->value, machine->value, *plans, refused)) return *error;
  Inputs inputs{std::move(model->value),
                std::move(machine->value),
                std::move(costs->value),
                {},
                costs->file,
                std::move(*plans),
                std::move(refused),
                {}};
  if (names.stack.empty()) return inputs;
  const Result<FromFile<SoftwareStack>> stack =
      read_named(FileKind::stack, names.stack, read_stack);
  if (!stack) return stack.error();
  inputs.stack = stack->value.name;
  inputs.compile = stack->value.compile;
  inputs.costs = with_stack(std::move(inputs.costs), stack->value.costs);
  return inputs;
}

Option hosts_option(std::optional<int>& hosts) {
  return {"--hosts", &hosts,         "So many hosts instead of the topology file's number",
          "N",       Need::optional, Judged{complaint_of_hosts}};
}

}  // namespace quintet
