#include "sim/jobs/outlook.h"

#include <algorithm>
#include <limits>

namespace quintet {

namespace {

std::vector<int> first_slots(const JobsOnMachine& machine, const Job& job) {
  const int on_host = static_cast<int>(machine.topology.hosts.front().gpus.size());
  std::vector<int> slots;
  for (int host = 0; host < job.entry.hosts; ++host)
    for (int slot = 0; slot < job.entry.gpus_per_host; ++slot)
      slots.push_back(host * on_host + slot);
  return slots;
}

// Adds up what GPUs do while their job runs.
struct GpuTime {
  double computing = 0, all = 0;
  void add(double gpus, Seconds busy, Seconds step) {
    computing += gpus * (busy / step);
    all += gpus;
  }
  double share() const { return all > 0 ? computing / all : 0.0; }
};

Seconds first_arrival(const JobsOnMachine& machine) {
  Seconds first{std::numeric_limits<double>::infinity()};
  for (const Job& job : machine.jobs) first = std::min(first, job.entry.arrives);
  return first;
}

}  // namespace

Result<std::vector<JobReference>> references(const JobsOnMachine& machine) {
  std::vector<JobReference> all;
  for (const Job& job : machine.jobs) {
    JobDecision first = decision_of(job);
    first.slots = first_slots(machine, job);
    const Result<AloneJob> step = alone(machine, job, first);
    if (!step) return step.error();
    all.push_back({step->step});
  }
  return all;
}

std::vector<Seconds> alone_times(const JobsOnMachine& machine,
                                 const std::vector<JobReference>& references) {
  std::vector<Seconds> times;
  for (std::size_t job = 0; job < machine.jobs.size(); ++job)
    times.push_back(machine.jobs[job].entry.steps * seconds(references[job].step));
  return times;
}

Result<Outlook> outlook(const JobsOnMachine& machine, const JobDecisions& decisions,
                        const std::vector<JobReference>& references, const JointOptions& options) {
  Outlook result;
  GpuTime together, apart;
  std::vector<Duration> usual;
  std::vector<AloneJob> alone_jobs;
  for (std::size_t job = 0; job < machine.jobs.size(); ++job) {
    Result<AloneJob> step = alone(machine, machine.jobs[job], decisions[job]);
    if (!step) return step.error();
    usual.push_back(step->step);
    alone_jobs.push_back(std::move(*step));
  }
  Result<JointOutcome> outcome = joint_run(machine, decisions, usual, options);
  if (!outcome) return outcome.error();
  result.outcome = std::move(*outcome);
  Seconds last;
  for (std::size_t job = 0; job < machine.jobs.size(); ++job) {
    const JobEntry& entry = machine.jobs[job].entry;
    const JobOutcome& its = result.outcome.jobs[job];
    JobOutlook view{seconds(usual[job]), mean_step(its), seconds(its.begins) - entry.arrives,
                    seconds(its.ends), 1};
    view.slowdown = (view.finish - entry.arrives) / (entry.steps * seconds(references[job].step));
    const auto gpus = static_cast<double>(decisions[job].slots.size());
    together.add(gpus, alone_jobs[job].computing, view.step);
    apart.add(gpus, alone_jobs[job].computing, view.alone);
    last = std::max(last, view.finish);
    result.worst_slowdown =
        job == 0 ? view.slowdown : std::max(result.worst_slowdown, view.slowdown);
    result.jobs.push_back(view);
  }
  result.makespan = last - first_arrival(machine);
  result.computing = together.share();
  result.computing_alone = apart.share();
  return result;
}

JobDecisions decisions_in(const JobsOnMachine& machine,
                          const std::vector<std::vector<int>>& slots) {
  JobDecisions all;
  for (std::size_t job = 0; job < machine.jobs.size(); ++job) {
    all.push_back(decision_of(machine.jobs[job]));
    all.back().slots = slots[job];
  }
  return all;
}

}  // namespace quintet
