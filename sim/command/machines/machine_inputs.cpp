#include "sim/command/machines/machine_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "sim/base/shown_text.h"
#include "sim/cost/file/cost_table_file.h"
#include "sim/cost/guess/guessed_costs.h"
#include "sim/usage/complain.h"
#include "sim/usage/shipped.h"

namespace quintet {
namespace {

Result<NamedCosts> read_named(const std::string& given) {
  const Result<std::filesystem::path> file = find_file(FileKind::costs, given);
  if (!file) return file.error();
  Result<CostTable> costs = read_cost_table(*file);
  if (!costs) return costs.error();
  return NamedCosts{file->string(), std::move(*costs)};
}

// The shipped table measured on the GPU; where there is none, a guess by its peak rates. Profiles
// of whole stages are of one model, and asked for by name.
NamedCosts costs_of_gpu(const GpuSpec& gpu) {
  for (const std::string& name : shipped_names(FileKind::costs)) {
    Result<NamedCosts> table = read_named(name);
    if (table && table->costs.gpu == gpu.name && table->costs.stages.empty())
      return std::move(*table);
  }
  return {"", guessed_costs(gpu)};
}

// Cores are less alike than GPUs of one name: whoever takes this says so.
Result<NamedCosts> costs_of_cores() {
  const Result<std::filesystem::path> file = find_shipped(FileKind::costs, shipped_for_cores);
  if (!file)
    return Error{"--costs",
                 fmt::format("the machine has no GPUs, and the shipped cost table of cores, {}, is "
                             "not here; measure this machine's with quintet calibrate",
                             shipped_for_cores)};
  return read_named(shipped_for_cores);
}

// --set costs.FIELD, of a table that has a file.
Result<NamedCosts> changed_costs(NamedCosts costs, const FieldChanges& changes) {
  if (changes.empty()) return costs;
  if (costs.file.empty())
    return Error{changes.front().asked,
                 "changes a cost table, but " + in_quotes(costs.costs.gpu) +
                     " has none: it is guessed from peak rates; name a table by --costs"};
  Result<CostTable> changed = read_changed_cost_table(costs.file, changes);
  if (!changed) return changed.error();
  costs.costs = std::move(*changed);
  return costs;
}

}  // namespace

Result<NamedCosts> costs_named(const std::string& given, const FieldChanges& changes) {
  Result<NamedCosts> costs = read_named(given);
  if (!costs) return costs;
  return changed_costs(std::move(*costs), changes);
}

Result<NamedCosts> costs_of_machine(const Topology& topology, const FieldChanges& changes) {
  if (topology.gpu_specs.empty()) {
    Result<NamedCosts> cores = costs_of_cores();
    return cores ? changed_costs(std::move(*cores), changes) : cores;
  }
  std::optional<NamedCosts> all;
  std::vector<std::string> seen;
  for (const GpuSpec& gpu : topology.gpu_specs) {
    if (std::find(seen.begin(), seen.end(), gpu.name) != seen.end()) continue;
    seen.push_back(gpu.name);
    Result<NamedCosts> next = changed_costs(costs_of_gpu(gpu), changes);
    if (!next) return next;
    if (next->file.empty()) next->file = next->costs.name;
    if (!all) {
      all = std::move(*next);
      continue;
    }
    all->file += " and " + next->file;
    if (next->costs.guess && !all->costs.guess) all->costs.guess = next->costs.guess;
    all->costs.other_gpus.push_back(std::move(next->costs));
  }
  return std::move(*all);
}

std::vector<std::string> shipped_for_any_machine() {
  std::vector<std::string> names;
  for (const std::string& name : shipped_names(FileKind::costs))
    if (const Result<NamedCosts> table = read_named(name); table && table->costs.gpu == "any")
      names.push_back(name);
  return names;
}

std::string hosts_text(const Topology& topology) {
  struct Kind {
    std::string gpu;
    std::size_t slots = 0;
    int hosts = 0;
  };
  std::vector<Kind> kinds;
  for (std::size_t host = 0; host < topology.hosts.size(); ++host) {
    const int spec = topology.gpu_spec_of_host[host];
    const std::string gpu =
        spec < 0 ? "CPU" : topology.gpu_specs[static_cast<std::size_t>(spec)].name;
    const std::size_t slots = topology.hosts[host].gpus.size();
    if (kinds.empty() || kinds.back().gpu != gpu || kinds.back().slots != slots)
      kinds.push_back({gpu, slots});
    ++kinds.back().hosts;
  }
  std::string text;
  for (const Kind& kind : kinds)
    text +=
        fmt::format("{}{} x {} {}", text.empty() ? "" : " + ", kind.hosts, kind.slots, kind.gpu);
  return text;
}

Options fault_options(Faults& into) {
  return {
      {.names = "--slow",
       .into = &into.slow,
       .does = "A NIC, cable, switch, GPU or host with this share of its rate left, such as "
               "host3/nic5=0.5 or leaf0-spine1=50%; may be repeated",
       .type = "PART=SHARE",
       .one_each_time = true},
      {.names = "--fail",
       .into = &into.fail,
       .does = "A NIC, a switch or a cable of the network that is dead from the start, such as "
               "host0/nic3, leaf0 or leaf0-spine1; may be repeated",
       .type = "PART",
       .one_each_time = true},
      {.names = "--delay",
       .into = &into.delay,
       .does = "A cable, NIC or switch with so much more latency, such as leaf0-spine1=5us; "
               "may be repeated",
       .type = "PART=TIME",
       .one_each_time = true},
      {.names = "--hold",
       .into = &into.hold,
       .does =
           "Two hosts between which a sender holds back each message so long, such as "
           "host6-host7=60ms, or host6>host7=60ms one way: messages between pipeline stages, not "
           "collectives; may be repeated",
       .type = "HOSTS=TIME",
       .one_each_time = true}};
}

}  // namespace quintet
