// Jobs that can be worked out by hand: each step works on the host for a while, then sums a buffer
// over one link.
#pragma once

#include "sim/jobs/joint_run.h"
#include "sim/jobs/outlook.h"
#include "tests/support/one_collective.h"
#include "tests/support/shipped.h"

namespace quintet::test {

// 125 MB: one second of a link of 1 Gbit/s, were it not for headers.
inline constexpr double summed_bytes = 125e6;

// A sum that goes S bytes each way and nothing before it; the work takes CostTable's `synchronise`.
inline Job periodic_job(const std::string& name, int steps, int ranks = 2) {
  Job job;
  job.entry.name = name;
  job.entry.hosts = ranks;
  job.entry.gpus_per_host = 1;
  job.entry.steps = steps;
  job.program =
      one_collective(ranks, CollectiveKind::all_reduce, Bytes{summed_bytes}, DataType::fp32);
  job.program.lanes.push_back({LaneKind::host, "host"});
  std::vector<Instruction>& body = job.program.bodies.front().instructions;
  body.insert(body.begin(), {"work", LaneId{1}, HostWork{HostWorkKind::synchronise, {}}, {}});
  body.back().after = {0};
  job.program.roles = {{"all", 0, {{Call{.body = BodyId{0}}}}}};
  job.plan.ccl.rules = {{.algorithm = Algorithm::direct}};
  return job;
}

// Two leaves of four hosts; whatever crosses from one leaf to the other shares one link, as fast as
// a host's.
struct SlowUplink {
  JobsOnMachine machine{{}, shipped_topology("box-2x4-slow-uplink"), {}};
  JobDecisions decisions;

  void add(Job job, std::vector<int> slots) {
    decisions.push_back(decision_of(job));
    decisions.back().slots = std::move(slots);
    machine.jobs.push_back(std::move(job));
  }
  Duration alone_step(std::size_t job) const {
    return required(alone(machine, machine.jobs[job], decisions[job])).step;
  }
  // Work takes as long as the sum alone.
  void balance() {
    machine.costs.launch.synchronise = {};
    machine.costs.launch.synchronise = seconds(alone_step(0));
  }
  JointOutcome run(const JointOptions& options = {}) const {
    std::vector<Duration> usual;
    for (std::size_t job = 0; job < decisions.size(); ++job) usual.push_back(alone_step(job));
    return required(joint_run(machine, decisions, usual, options));
  }
};

// S bytes at the payload rate of 1 Gbit/s TCP: 4,096 of 4,174 bytes a packet.
inline double transfer_seconds() {
  return summed_bytes / (125e6 * 4096.0 / 4174.0);
}

}  // namespace quintet::test
