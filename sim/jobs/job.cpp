#include "sim/jobs/job.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/explain/memory_report.h"
#include "sim/plan/problems/problems.h"
#include "sim/simulate/predict.h"

namespace quintet {

namespace {

std::optional<Error> too_much(const JobEntry& entry, const Topology& topology,
                              const std::string& where) {
  const int hosts = static_cast<int>(topology.hosts.size());
  const int gpus = static_cast<int>(topology.hosts.front().gpus.size());
  if (entry.hosts > hosts)
    return Error{where + ".hosts",
                 fmt::format("is {}, but the machine has {}; use 1 to {}, or a larger machine",
                             entry.hosts, hosts, hosts)};
  if (entry.gpus_per_host > gpus)
    return Error{where + ".gpus_per_host", fmt::format("is {}, but hosts have {}; use 1 to {}",
                                                       entry.gpus_per_host, gpus, gpus)};
  if (!entry.on_hosts.empty() && entry.first_gpu + entry.gpus_per_host > gpus)
    return Error{
        where + ".first_gpu",
        fmt::format("is {}, so that {} GPUs do not find room among the {} of a host; use "
                    "0 to {}",
                    entry.first_gpu, entry.gpus_per_host, gpus, gpus - entry.gpus_per_host)};
  for (const int host : entry.on_hosts)
    if (host >= hosts)
      return Error{
          where + ".on_hosts",
          fmt::format("names host {}, but the machine has hosts 0 to {}", host, hosts - 1)};
  return std::nullopt;
}

std::optional<Error> not_for_jobs(const JobsOnMachine& machine, const std::string& where) {
  const auto& hosts = machine.topology.hosts;
  const bool alike = std::all_of(hosts.begin(), hosts.end(), [&](const Host& host) {
    return host.gpus.size() == hosts.front().gpus.size();
  });
  if (!alike)
    return Error{where,
                 "its machine has hosts of different size, among which jobs cannot be "
                 "placed; use one whose hosts are alike"};
  if (machine.costs.processors)
    return Error{where,
                 "its machine computes on processor cores, which jobs would share by rules "
                 "that are not known; use one with GPUs"};
  return std::nullopt;
}

}  // namespace

Topology machine_of_size(const Topology& topology, int hosts, int gpus_per_host) {
  Topology part = topology;
  part.hosts.resize(static_cast<std::size_t>(hosts));
  part.gpu_spec_of_host.resize(std::min(part.gpu_spec_of_host.size(), part.hosts.size()));
  for (Host& host : part.hosts) host.gpus.resize(static_cast<std::size_t>(gpus_per_host));
  return part;
}

Result<Job> ready_job(const JobEntry& entry, const Model& model, const Plan& plan,
                      const JobsOnMachine& machine, const CompileOptions& compile,
                      const std::string& where) {
  if (auto error = not_for_jobs(machine, where)) return *error;
  Job job{entry, plan, {}};
  if (job.entry.gpus_per_host == 0)
    job.entry.gpus_per_host = static_cast<int>(machine.topology.hosts.front().gpus.size());
  if (auto error = too_much(job.entry, machine.topology, where)) return *error;
  if (entry.routing) job.plan.network.routing = *entry.routing;
  if (entry.hash_seed) job.plan.network.hash_seed = *entry.hash_seed;
  const Topology part = machine_of_size(machine.topology, job.entry.hosts, job.entry.gpus_per_host);
  if (const auto found = problems(job.plan, model, part); !found.empty())
    return Error{where + ".plan", refusal_text(job.plan, found)};
  Result<Program> program = checked_program(model, job.plan, part, machine.costs, compile);
  if (!program) return Error{where + ".plan", program.error().text()};
  const Result<MemoryReport> memory = predict_memory(model, job.plan, part, machine.costs, compile);
  if (!memory) return Error{where + ".plan", memory.error().text()};
  job.program = std::move(*program);
  job.fits = memory->capacity.value <= 0 || verdict(*memory) == MemoryVerdict::fits;
  return job;
}

Plan placed_plan(const Job& job, const JobDecision& decision) {
  Plan plan = job.plan;
  plan.network.routing = decision.routing;
  plan.network.hash_seed = decision.hash_seed;
  if (plan.intra_inter.placement.empty()) {
    plan.intra_inter.placement = decision.slots;
  } else {
    for (int& slot : plan.intra_inter.placement)
      slot = decision.slots[static_cast<std::size_t>(slot)];
  }
  return plan;
}

JobDecision decision_of(const Job& job) {
  return {{},
          job.plan.network.routing,
          job.plan.network.hash_seed,
          {job.entry.priority, job.entry.weight},
          job.entry.offset,
          job.entry.pace};
}

}  // namespace quintet
