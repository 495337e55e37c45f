#include "sim/command/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <string>
#include <utility>

#include "sim/asked/sample_lengths.h"
#include "sim/base/shown_text.h"
#include "sim/base/text_file.h"
#include "sim/cost/file/cost_table_file.h"
#include "sim/model/model_file.h"
#include "sim/plan/asked_plan.h"
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
template <class T, class Read>
Result<FromFile<T>> read_named(FileKind kind, const std::string& given, Read read) {
  const Result<std::filesystem::path> file = find_file(kind, given);
  if (!file) return file.error();
  Result<T> value = read(*file);
  if (!value) return value.error();
  return FromFile<T>{file->string(), std::move(*value)};
}

// The caller's own text, else as read_named.
template <class T, class Read, class Parse>
Result<FromFile<T>> read_given(const InputNames& names, FileKind kind, const std::string& given,
                               Read read, Parse parse) {
  const auto own = names.own.find(given);
  if (own == names.own.end()) return read_named<T>(kind, given, read);
  Result<T> value = parse(own->second);
  if (!value) return value.error();
  return FromFile<T>{own->second.where, std::move(*value)};
}

// "any" is the GPU of tables that profile whole stages or ideal machines.
std::optional<Error> measured_elsewhere(const FromFile<CostTable>& costs,
                                        const FromFile<Topology>& machine) {
  for (const GpuSpec& gpu : machine.value.gpu_specs)
    if (costs.value.gpu != "any" && table_of(costs.value, gpu.name).gpu != gpu.name)
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

std::optional<RefusedPlan> does_not_fit(const PlanInput& input, const Inputs& among) {
  RefusedPlan refused{input.plan.name, {}, problems(input.plan, among.model, among.topology)};
  if (refused.problems.empty()) return std::nullopt;
  refused.error = Error{input.file, refusal_text(input.plan, refused.problems)};
  return refused;
}

// The text of a plan's file, or nothing said yet.
Result<PlanBase> read_base(const InputNames& names, const std::string& given) {
  if (const auto own = names.own.find(given); own != names.own.end())
    return PlanBase{own->second.text, own->second.where, true, own->second.folder};
  const Result<std::filesystem::path> file = find_file(FileKind::plan, given);
  if (!file) return file.error();
  Result<std::string> text = read_text_file(*file);
  if (!text) return text.error();
  return PlanBase{std::move(*text), file->string(), true, file->parent_path()};
}

// As the plan calls itself, and what it differs in from others of its file.
std::string name_of(const Plan& plan, const PlanBase& base, const AskedChanges& asked) {
  if (!base.is_file) return asked.varied.empty() ? layout_name(plan.parallelism) : asked.varied;
  std::string name =
      plan.name.empty() ? std::filesystem::path(base.where).stem().string() : plan.name;
  if (!asked.varied.empty()) return name + ", " + asked.varied;
  for (const FieldChange& change : asked.plan)
    name += fmt::format(", {} {}", change.path.substr(change.path.rfind('.') + 1), change.value);
  return name;
}

std::optional<Error> add_plan(const PlanBase& base, const AskedChanges& asked, Inputs& to) {
  const int ranks = static_cast<int>(rank_slots(to.topology).size());
  Result<Plan> plan = with_lengths(asked_plan(base, asked.plan, ranks), base.folder);
  if (!plan) {
    const std::string name = base.is_file ? base.where : asked.varied;
    const bool no_length = !base.is_file && plan.error().where.ends_with(".sequence_length");
    to.refused.push_back(
        {name, no_length ? Error{"--sequence", "is missing: how many tokens a sequence has"}
                         : plan.error()});
    return std::nullopt;
  }
  PlanInput input{
      base.is_file ? base.where : base.where + " (" + layout_name(plan->parallelism) + ")",
      std::move(*plan)};
  input.plan.name = name_of(input.plan, base, asked);
  if (const auto error = same_name(to.plans, input)) return error;
  if (auto refused = does_not_fit(input, to))
    to.refused.push_back(std::move(*refused));
  else
    to.plans.push_back(std::move(input));
  return std::nullopt;
}

Result<FromFile<Topology>> read_machine(const InputNames& names, const std::string& name,
                                        const AskedChanges& asked) {
  const TopologyOptions options{names.hosts, {}, asked.topology};
  Result<FromFile<Topology>> machine = read_given<Topology>(
      names, FileKind::topology, name,
      [&](const std::filesystem::path& file) { return read_topology(file, options); },
      [&](const OwnText& own) { return parse_topology(own.text, own.where, own.folder, options); });
  if (!machine) return machine;
  Result<Topology> worse = with_faults(std::move(machine->value), names.faults);
  if (!worse)
    return Error{worse.error().where + (names.topologies.size() > 1 ? " of " + name : ""),
                 worse.error().what};
  machine->value = std::move(*worse);
  return machine;
}

Result<FromFile<CostTable>> read_costs(const InputNames& names, const AskedChanges& asked,
                                       const Topology& topology) {
  if (const auto own = names.own.find(names.costs); own != names.own.end()) {
    Result<CostTable> costs =
        parse_changed_cost_table(own->second.text, own->second.where, asked.costs);
    if (!costs) return costs.error();
    return FromFile<CostTable>{own->second.where, std::move(*costs)};
  }
  Result<NamedCosts> costs = names.costs.empty() ? costs_of_machine(topology, asked.costs)
                                                 : costs_named(names.costs, asked.costs);
  if (!costs) return costs.error();
  return FromFile<CostTable>{std::move(costs->file), std::move(costs->costs)};
}

// What is asked of the machine in every combination: those that vary are in plans' names.
std::string changes_of_all(const InputNames& names) {
  std::string text;
  for (const FieldChange& change : names.asked.front().topology)
    if (std::all_of(names.asked.begin(), names.asked.end(), [&](const AskedChanges& each) {
          return std::find(each.topology.begin(), each.topology.end(), change) !=
                 each.topology.end();
        }))
      text += fmt::format(", {} {}", change.path.substr(change.path.rfind('.') + 1), change.value);
  return text;
}

// All but the plans.
Result<Inputs> read_surroundings(const InputNames& names, const std::string& topology,
                                 const AskedChanges& asked, const Model& model) {
  Result<FromFile<Topology>> machine = read_machine(names, topology, asked);
  if (!machine) return machine.error();
  Result<FromFile<CostTable>> costs = read_costs(names, asked, machine->value);
  if (!costs) return costs.error();
  if (const auto error = measured_elsewhere(*costs, *machine)) return *error;
  Inputs inputs{model, std::move(machine->value), std::move(costs->value), {}, costs->file, {}};
  inputs.topology.name += changes_of_all(names);
  if (names.costs.empty() && inputs.topology.gpu_specs.empty())
    inputs.remarks.push_back(fmt::format(
        "the cost table {} was measured on another machine's cores; quintet calibrate measures "
        "yours, --costs names it",
        shipped_for_cores));
  if (names.stack.empty()) return inputs;
  const Result<FromFile<SoftwareStack>> stack =
      read_named<SoftwareStack>(FileKind::stack, names.stack, read_stack);
  if (!stack) return stack.error();
  inputs.stack = stack->value.name;
  inputs.compile = stack->value.compile;
  inputs.costs = with_stack(std::move(inputs.costs), stack->value.costs);
  for (CostTable& other : inputs.costs.other_gpus)
    other = with_stack(std::move(other), stack->value.costs);
  return inputs;
}

// Files that cannot be found or read are refused too, so that the others are answered.
struct PlanBases {
  std::vector<PlanBase> bases;
  std::vector<RefusedPlan> refused;
};

PlanBases read_bases(const InputNames& names) {
  PlanBases read;
  if (names.plans.empty()) read.bases.push_back({"{}", "the plan asked for", false});
  for (const std::string& given : names.plans) {
    Result<PlanBase> base = read_base(names, given);
    if (base)
      read.bases.push_back(std::move(*base));
    else
      read.refused.push_back({given, base.error()});
  }
  return read;
}

// One machine file, once for each of its changes that are asked for.
std::optional<Error> add_machines(const InputNames& names, const std::string& topology,
                                  const Model& model, const std::vector<PlanBase>& bases,
                                  std::vector<Inputs>& all) {
  std::vector<const AskedChanges*> machines;  // by whose topology and costs each is
  const std::size_t first = all.size();
  for (const AskedChanges& asked : names.asked) {
    const auto same = std::find_if(machines.begin(), machines.end(), [&](const auto* other) {
      return other->topology == asked.topology && other->costs == asked.costs;
    });
    const std::size_t at = first + static_cast<std::size_t>(same - machines.begin());
    if (same == machines.end()) {
      Result<Inputs> inputs = read_surroundings(names, topology, asked, model);
      if (!inputs) return inputs.error();
      all.push_back(std::move(*inputs));
      machines.push_back(&asked);
    }
    for (const PlanBase& base : bases)
      if (auto error = add_plan(base, asked, all[at])) return error;
  }
  return std::nullopt;
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

Result<std::vector<Inputs>> read_inputs(const InputNames& names) {
  PlanBases bases = read_bases(names);
  if (bases.bases.empty()) return bases.refused.front().error;
  const Result<FromFile<Model>> model =
      read_given<Model>(names, FileKind::model, names.model, read_model,
                        [](const OwnText& own) { return parse_model(own.text, own.where); });
  if (!model) return model.error();
  std::vector<Inputs> all;
  for (const std::string& topology :
       names.topologies.empty() ? std::vector{names.topology} : names.topologies)
    if (const auto error = add_machines(names, topology, model->value, bases.bases, all))
      return *error;
  std::move(bases.refused.begin(), bases.refused.end(), std::back_inserter(all.front().refused));
  return all;
}

Option hosts_option(std::optional<int>& hosts) {
  return {"--hosts", &hosts,         "So many hosts instead of the topology file's number",
          "N",       Need::optional, Judged{complaint_of_hosts}};
}

}  // namespace quintet
