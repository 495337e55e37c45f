#include "traces/command/replay_inputs.h"

#include <algorithm>

#include "sim/asked/settings.h"
#include "sim/base/text_file.h"
#include "sim/command/machines/machine_inputs.h"
#include "sim/json/field_change.h"
#include "sim/plan/plan_file.h"
#include "sim/topology/file/topology_file.h"
#include "sim/usage/shipped.h"

namespace quintet {

namespace {

// Decisions that nobody named are the usual ones; a plan's text is needed to change some.
Result<Plan> plan_with(const std::string& name, const FieldChanges& changes) {
  Plan usual{.name = "replay"};
  usual.parallelism.sequence_length = 1;  // a plan has one; nothing here depends on it
  if (name.empty() && changes.empty()) return usual;
  std::string text = plan_text(usual);
  std::string where = "--set";
  if (!name.empty()) {
    const Result<std::filesystem::path> file = find_file(FileKind::plan, name);
    if (!file) return file.error();
    Result<std::string> read = read_text_file(*file);
    if (!read) return read.error();
    text = std::move(*read);
    where = file->string();
  }
  const Result<std::string> changed = changed_text(text, where, changes);
  if (!changed) return changed.error();
  Result<Plan> plan = parse_plan(*changed, where);
  if (!plan) return blamed(plan.error(), changes);
  return plan;
}

Result<NamedMachine> named_machine(const std::string& name, const MachineNames& names,
                                   const AskedChanges& asked, const Faults& faults,
                                   std::optional<int> hosts) {
  const Result<std::filesystem::path> file = find_file(FileKind::topology, name);
  if (!file) return file.error();
  Result<Topology> topology = read_topology(*file, {hosts, {}, asked.topology});
  if (!topology) return topology.error();
  topology = with_faults(std::move(*topology), faults);
  if (!topology) return topology.error();
  Result<NamedCosts> costs = names.costs.empty() ? costs_of_machine(*topology, asked.costs)
                                                 : costs_named(names.costs, asked.costs);
  if (!costs) return costs.error();
  Result<Plan> plan = plan_with(names.plan, asked.plan);
  if (!plan) return plan.error();
  NamedMachine made{std::move(*topology), std::move(*plan), std::move(costs->costs), {}};
  made.name = made.topology.name;
  return made;
}

std::optional<Error> without_machine(const MachineNames& names) {
  if (!names.topology.empty() || !names.recorded_on.empty()) return std::nullopt;
  const std::string wanted =
      "is of a machine: name the one to replay on (--topology) or that it was recorded on "
      "(--recorded-on)";
  if (!names.set.empty()) return Error{"--set " + names.set.front(), wanted};
  if (!names.faults.empty()) return Error{"--slow, --fail, --delay and --hold", wanted};
  if (names.hosts) return Error{"--hosts", wanted};
  if (!names.costs.empty()) return Error{"--costs", wanted};
  if (!names.plan.empty()) return Error{"--plan", wanted};
  return std::nullopt;
}

bool changes_machine(const MachineNames& names) {
  return !names.topology.empty() || !names.set.empty() || !names.faults.empty() || names.hosts;
}

}  // namespace

Result<ReplayMachines> replay_machines(const MachineNames& names) {
  if (const auto error = without_machine(names)) return *error;
  const Result<AskedChanges> asked =
      one_combination(names.set, {AskedFile::plan, AskedFile::topology, AskedFile::costs},
                      "a replay is of one machine");
  if (!asked) return asked.error();
  ReplayMachines machines;
  if (!names.recorded_on.empty()) {
    Result<NamedMachine> known = named_machine(names.recorded_on, names, {}, {}, {});
    if (!known) return known.error();
    machines.recorded_on = std::move(*known);
  }
  if (!changes_machine(names)) return machines;
  Result<NamedMachine> on =
      named_machine(names.topology.empty() ? names.recorded_on : names.topology, names, *asked,
                    names.faults, names.hosts);
  if (!on) return on.error();
  machines.on = std::move(*on);
  return machines;
}

namespace {

double peak_ratio(const CostTable& from, const CostTable& to) {
  for (const DataType type : {DataType::bf16, DataType::fp16, DataType::tf32, DataType::fp32})
    for (const GemmCosts& old : from.gemm)
      for (const GemmCosts& fresh : to.gemm)
        if (old.type == type && fresh.type == type) return old.peak / fresh.peak;
  return 1;
}

}  // namespace

std::optional<GpuChanges> gpu_changes(const ReplayMachines& machines) {
  if (!machines.on || !machines.recorded_on) return std::nullopt;
  const CostTable &from = machines.recorded_on->costs, &to = machines.on->costs;
  if (from.gpu.empty() || to.gpu.empty() || from.gpu == to.gpu) return std::nullopt;
  const double products = peak_ratio(from, to);
  const double others = from.memory_bandwidth / to.memory_bandwidth;
  const double least = std::min(products, others), most = std::max(products, others);
  return GpuChanges{{least, least}, {products, others}, {most, most}};
}

}  // namespace quintet
