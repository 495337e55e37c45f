// What each task of a step comes after on other lanes, as places of their streams: the program's
// dependencies, for lanes that go on before what they started is done.
#pragma once

#include <vector>

#include "engine/device/places.h"
#include "sim/program/tasks.h"

namespace quintet::engine {

class Fences {
 public:
  Fences(const TaskList& list, const InstructionTable& table);

  // All tasks come after `start`.
  void begin_step(const Places& start);
  // These are the places that a task which may start comes after. All tasks that it comes after
  // must have been told to be finished.
  Places before(int task);
  // All that was queued for the task.
  void finished(int task, const Places& places);
  // Whether another lane may wait for it.
  bool awaited(int task) const { return awaited_[static_cast<std::size_t>(task)]; }
  // All that was queued for an iteration's tasks so far.
  const Places& of_unit(int task) const;

 private:
  struct Unit {
    std::vector<int> before;  // units it waits for
    bool entered = false;
    Places entry{}, done{};
  };
  const Places& entry(int unit);
  void find_awaited();
  bool has_other_lane(int unit, std::int16_t lane) const;
  bool is_last_of_lane(int task) const;

  const TaskList& list_;
  std::vector<std::vector<int>> after_;  // per task: other tasks of its unit
  std::vector<bool> awaited_;
  std::vector<Unit> units_;
  std::vector<Places> tasks_;
  Places start_{};
};

}  // namespace quintet::engine
