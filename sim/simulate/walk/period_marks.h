// Looks at a walk once a period, so that its recurrence is found (recurrence.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sim/base/event_queue.h"
#include "sim/network/fabric.h"
#include "sim/program/tasks.h"
#include "sim/simulate/fold/world.h"
#include "sim/simulate/walk/actor.h"
#include "sim/simulate/walk/matching.h"
#include "sim/simulate/walk/movement.h"
#include "sim/simulate/walk/recurrence.h"
#include "sim/simulate/walk/running_gpu_kernels.h"

namespace quintet {

// All that a walk is at an instant, beside its record. Neither shared cores nor copies to the
// host's memory: walks that have some leave nothing out (simulate/shortened.h).
struct WalkState {
  const FoldedWorld& world;
  EventQueue& events;
  const Fabric& fabric;
  const RunningGpuKernels& kernels;
  const Movement& movement;
  const Meetings& meetings;
  const Mailboxes& mailboxes;
  const std::vector<Actor>& actors;
  const std::vector<std::vector<Instant>>& begun;  // per actor and lane: its last task
  const std::vector<std::vector<Instant>>& woken;  // per actor and lane: the launch waited for
  const std::vector<std::int64_t>& moves;          // per price: how often
};

class PeriodMarks {
 public:
  // `lists` are per role. What `walk` refers to outlives the marks.
  PeriodMarks(const WalkState& walk, const std::vector<TaskList>& lists,
              const PeriodsLeftOut& left_out);

  // The first actor is done with this task.
  void done(std::int32_t task);

  std::optional<Recurrence::Window> window() const { return recurrence_.window(); }

 private:
  const SteadyTasks& steady(std::size_t actor) const {
    return steady_[walk_.world.ranks[actor].role.index()];
  }
  void mark(std::int64_t period);
  bool all_within() const;
  std::uint64_t state(std::int64_t period) const;
  std::uint64_t state_of_actor(std::size_t actor, std::int64_t period) const;

  WalkState walk_;
  int micro_batches_;  // of a period
  Recurrence recurrence_;
  std::vector<SteadyTasks> steady_;  // per role
};

}  // namespace quintet
