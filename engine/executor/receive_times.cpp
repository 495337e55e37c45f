#include "engine/executor/receive_times.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace quintet::engine {

namespace {

constexpr std::int32_t at_once = -1, never_needed = std::numeric_limits<std::int32_t>::max();

std::size_t at(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

// Per task of the lane: the first of the pass before its own.
std::vector<std::int32_t> passes_before(const Program& program, const Script& script,
                                        const TaskList& list, std::size_t lane) {
  std::vector<std::int32_t> before(list.tasks.size(), at_once);
  std::int32_t earlier = at_once, current = at_once;
  std::tuple<int, int, Phase> pass{-1, -1, Phase::update};
  for (const std::int32_t task : list.lanes[lane]) {
    const Call& call = script.calls[at(list.task(task).call)];
    const std::tuple mine{call.micro_batch, call.chunk, program.bodies[call.body.index()].phase};
    if (mine != pass) {
      earlier = current;
      current = task;
      pass = mine;
    }
    before[at(task)] = earlier;
  }
  return before;
}

// The first task of the lane that waits for the unit.
std::int32_t needed_by(const TaskList& list, const TaskList::Unit& unit, std::size_t lane) {
  std::int32_t first = never_needed;
  for (const std::int32_t next : unit.successors) {
    const TaskList::Unit& user = list.units[at(next)];
    for (std::int32_t task = user.first; task < user.first + user.tasks; ++task)
      if (at(list.task(task).lane) == lane) first = std::min(first, task);
  }
  return first;
}

}  // namespace

// What comes later on the receiving lane must not be held up beyond its own time.
ReceiveTimes::ReceiveTimes(const Program& program, const Script& script, const TaskList& list,
                           const InstructionTable& table, std::size_t lane)
    : lane_(lane), from_(list.tasks.size(), at_once) {
  if (lane >= list.lanes.size()) return;
  const std::vector<std::int32_t> before = passes_before(program, script, list, lane);
  for (const std::vector<std::int32_t>& tasks : list.lanes) {
    std::int32_t latest = never_needed;
    for (auto task = tasks.rbegin(); task != tasks.rend(); ++task) {
      const Instruction& what = *table.instructions[at(list.task(*task).instruction)];
      if (!std::holds_alternative<Receive>(what.action)) {
        latest = never_needed;
        continue;
      }
      const std::int32_t user = needed_by(list, list.unit_of(*task), lane);
      latest = std::min(latest, user == never_needed ? at_once : before[at(user)]);
      from_[at(*task)] = latest;
    }
  }
}

bool ReceiveTimes::may_start(int task, const Readiness& step) const {
  const std::optional<std::int32_t> next = step.head(lane_);
  return !next || *next >= from_[at(task)];
}

}  // namespace quintet::engine
