// One class of ranks walking its script, and the CPU that issues its work ahead of the GPU: what
// may start (sim/program/readiness.h), and when it has been launched. Knows nothing of how long
// work takes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/base/digest.h"
#include "sim/base/units.h"
#include "sim/cost/cost_table.h"
#include "sim/plan/host_net.h"
#include "sim/program/readiness.h"
#include "sim/simulate/walk/recurrence.h"

namespace quintet {

// What launching an instruction asks of the CPU.
struct Issue {
  Duration time;
  bool holds = false;  // nothing more is launched before it is over, or let go
};

// One per instruction of the table.
std::vector<Issue> issues(const InstructionTable& table, const LaunchCosts& launch,
                          const HostNet& host_net);

class Actor {
 public:
  // References must outlive the actor; roles with one script share `list`. Of `launch`: how far the
  // CPU may run ahead, and what it does before it issues anything. The step begins at `begins`.
  Actor(const TaskList& list, const InstructionTable& table, const std::vector<Issue>& issues,
        const LaunchCosts& launch, Instant begins);

  const Readiness& readiness() const { return readiness_; }
  const Task& task(std::int32_t number) const { return readiness_.task(number); }

  // When the CPU has issued the task; nothing while the CPU itself is held up.
  std::optional<Instant> issued(std::int32_t number) const {
    const auto index = static_cast<std::size_t>(number);
    if (index >= next_issue_) return std::nullopt;
    // Since then the CPU has issued a task that waited for a later one to be over.
    if (forgotten(index)) return Instant{};
    return times_[slot(index)].issued;
  }

  void start(std::int32_t number) { readiness_.start(number); }
  // One that holds launches need not be waited for any longer.
  void let_go(std::int32_t number, Instant now);
  // Lets successors and the CPU go on.
  void finish(std::int32_t number, Instant now);

  // How far it has come, seen from a period and from now. What is over follows from where its lanes
  // are.
  void tell(Digest& digest, const SteadyTasks& steady, std::int64_t period, Instant now) const;
  // The CPU has issued nothing yet of what comes after the steady part.
  bool within(const SteadyTasks& steady) const {
    return static_cast<std::int64_t>(next_issue_) <= steady.end;
  }

 private:
  void issue_ahead();
  const Issue& issue_of(std::size_t number) const {
    const Task& of = task(static_cast<std::int32_t>(number));
    return (*issues_)[static_cast<std::size_t>(of.instruction)];
  }
  std::optional<Instant> cpu_free_for(std::size_t number) const;

  Readiness readiness_;
  const std::vector<Issue>* issues_;
  std::size_t queue_;

  // A task of long ago: its slot has another's time by now.
  bool forgotten(std::size_t number) const { return number + kept_ < next_issue_; }
  std::size_t slot(std::size_t number) const { return number & (times_.size() - 1); }

  // Holds the last tasks issued, as many as the CPU may run ahead and one more: nobody asks for
  // more, and a step has millions.
  struct Times {
    Instant issued, finished;  // `finished`: what a CPU that ran too far ahead waited for
  };
  std::size_t kept_;          // tasks whose times are looked at again
  std::vector<Times> times_;  // of the last, at least so many: a power of two, to find slots fast
  std::size_t next_issue_ = 0;
  Instant cpu_;               // when the CPU is free to issue again
  std::int32_t let_go_ = -1;  // the last one, and when
  Instant let_go_at_;
};

}  // namespace quintet
