#include "sim/jobs/joint_run.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "sim/jobs/running_jobs.h"
#include "sim/network/fluid/fluid_fabric.h"

namespace quintet {

namespace {

// Jobs that share a link or a place, also by way of others, have one number.
class Parts {
 public:
  explicit Parts(std::size_t jobs) : of_(jobs) { std::iota(of_.begin(), of_.end(), 0U); }

  void join(std::size_t one, std::size_t other) {
    const std::size_t to = of_[one], from = of_[other];
    std::replace(of_.begin(), of_.end(), from, to);
  }
  std::vector<std::size_t> members(std::size_t part) const {
    std::vector<std::size_t> found;
    for (std::size_t job = 0; job < of_.size(); ++job)
      if (of_[job] == part) found.push_back(job);
    return found;
  }
  std::set<std::size_t> all() const { return {of_.begin(), of_.end()}; }

 private:
  std::vector<std::size_t> of_;
};

bool share_a_place(const JobDecision& one, const JobDecision& other) {
  const std::set<int> slots(one.slots.begin(), one.slots.end());
  return std::any_of(other.slots.begin(), other.slots.end(),
                     [&](int slot) { return slots.contains(slot); });
}

// Of two that want one place the one that arrives first has it first.
bool goes_before(const JobsOnMachine& machine, std::size_t one, std::size_t other) {
  const Seconds here = machine.jobs[one].entry.arrives, there = machine.jobs[other].entry.arrives;
  return here < there || (here == there && one < other);
}

class Joint {
 public:
  Joint(const JobsOnMachine& machine, const JobDecisions& decisions,
        const std::vector<Duration>& usual, const JointOptions& options)
      : machine_(machine), decisions_(decisions), usual_(usual), options_(options) {
    for (std::size_t job = 0; job < machine.jobs.size(); ++job) {
      plans_.push_back(placed_plan(machine.jobs[job], decisions[job]));
      const Program& program = machine.jobs[job].program;
      communicating_.push_back(
          {&program, communications(program, plans_.back(), machine.topology, machine.costs)});
    }
    world_ = joint_world(communicating_, machine.topology.links.size(), options.folding);
    outcome_.jobs.resize(machine.jobs.size());
    outcome_.carried.resize(machine.topology.links.size());
  }

  Result<JointOutcome> run() {
    const Parts parts = independent_parts();
    for (const std::size_t part : parts.all())
      if (auto error = run_part(parts.members(part))) return *error;
    return std::move(outcome_);
  }

 private:
  Parts independent_parts() const {
    Parts parts(machine_.jobs.size());
    for (const std::vector<int>& jobs : world_.loaded_by)
      for (const int job : jobs)
        parts.join(static_cast<std::size_t>(jobs.front()), static_cast<std::size_t>(job));
    for (std::size_t one = 0; one < decisions_.size(); ++one)
      for (std::size_t other = 0; other < one; ++other)
        if (share_a_place(decisions_[one], decisions_[other])) parts.join(one, other);
    return parts;
  }

  std::optional<Error> run_part(const std::vector<std::size_t>& members) {
    EventQueue events;
    FluidFabric fabric(events, world_.links);
    std::vector<RunningInput> inputs;
    for (const std::size_t job : members) inputs.push_back(input_of(job, members, events, fabric));
    RunningJobs running(events, fabric, std::move(inputs), options_);
    if (auto error = running.run()) return error;
    for (std::size_t each = 0; each < members.size(); ++each)
      outcome_.jobs[members[each]] = running.outcome(each);
    add_carried(running.carried());
    outcome_.events += events.handled();
    outcome_.repeats = std::max(outcome_.repeats, running.repeats());
    outcome_.unlike = std::max(outcome_.unlike, running.unlike());
    return std::nullopt;
  }

  RunningInput input_of(std::size_t job, const std::vector<std::size_t>& members,
                        EventQueue& events, Fabric& fabric) const {
    const Job& its = machine_.jobs[job];
    RunningInput input{{its.program, plans_[job], machine_.costs,
                        communicating_[job].communications, world_.worlds[job], events, fabric},
                       decisions_[job],
                       duration(its.entry.arrives),
                       usual_[job],
                       its.entry.steps,
                       static_cast<int>(job),
                       {}};
    for (std::size_t other = 0; other < members.size(); ++other)
      if (goes_before(machine_, members[other], job) &&
          share_a_place(decisions_[members[other]], decisions_[job]))
        input.after.push_back(other);
    return input;
  }

  void add_carried(const std::vector<double>& of_classes) {
    for (std::size_t link = 0; link < outcome_.carried.size(); ++link)
      if (const std::int32_t its = world_.class_of_link[link]; its >= 0)
        outcome_.carried[link] += Bytes{of_classes[static_cast<std::size_t>(its)]};
  }

  const JobsOnMachine& machine_;
  const JobDecisions& decisions_;
  const std::vector<Duration>& usual_;
  const JointOptions& options_;
  std::vector<Plan> plans_;
  std::vector<CommunicatingJob> communicating_;
  JointWorld world_;
  JointOutcome outcome_;
};

}  // namespace

Seconds mean_step(const JobOutcome& job) {
  return seconds(job.ends - job.begins) / static_cast<double>(job.steps);
}

Result<JointOutcome> joint_run(const JobsOnMachine& machine, const JobDecisions& decisions,
                               const std::vector<Duration>& usual, const JointOptions& options) {
  return Joint(machine, decisions, usual, options).run();
}

}  // namespace quintet
