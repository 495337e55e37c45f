#include "engine/executor/fences.h"

namespace quintet::engine {

namespace {

std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}

}  // namespace

Fences::Fences(const Program& program, const Script& script, const TaskList& list)
    : list_(list), units_(list.unit_first.size()), tasks_(list.tasks.size()) {
  for (std::size_t unit = 0; unit < units_.size(); ++unit)
    for (const int next : list.unit_successors[unit])
      units_[at(next)].before.push_back(static_cast<int>(unit));
  for (const Task& task : list.tasks) {
    const Body& body = program.bodies[script.calls[at(task.call)].body.index()];
    std::vector<int> after;
    for (const int place : body.instructions[at(task.place)].after)
      after.push_back(list.unit_first[at(task.unit)] + place);
    after_.push_back(std::move(after));
    lanes_.push_back(body.instructions[at(task.place)].lane.index());
  }
  find_awaited();
}

void Fences::find_awaited() {
  awaited_.assign(lanes_.size(), false);
  for (std::size_t task = 0; task < lanes_.size(); ++task) {
    for (const int other : after_[task])
      if (lanes_[at(other)] != lanes_[task]) awaited_[at(other)] = true;
    if (!is_last_of_lane(static_cast<int>(task))) continue;
    for (const int next : list_.unit_successors[at(list_.tasks[task].unit)])
      if (has_other_lane(next, lanes_[task])) awaited_[task] = true;
  }
}

// Among its iteration's tasks.
bool Fences::is_last_of_lane(int task) const {
  const int unit = list_.tasks[at(task)].unit;
  const int end = list_.unit_first[at(unit)] + list_.unit_tasks[at(unit)];
  for (int later = task + 1; later < end; ++later)
    if (lanes_[at(later)] == lanes_[at(task)]) return false;
  return true;
}

bool Fences::has_other_lane(int unit, std::size_t lane) const {
  const int first = list_.unit_first[at(unit)], count = list_.unit_tasks[at(unit)];
  for (int task = first; task < first + count; ++task)
    if (lanes_[at(task)] != lane) return true;
  for (const int next : list_.unit_successors[at(unit)])
    if (count == 0 && has_other_lane(next, lane)) return true;
  return false;
}

void Fences::begin_step(const Places& start) {
  start_ = start;
  for (Unit& unit : units_) {
    unit.entered = false;
    unit.done = {};
  }
}

// A unit's tasks come after its entry, so what follows them does; one without tasks hands it on.
const Places& Fences::entry(int unit) {
  Unit& mine = units_[at(unit)];
  if (mine.entered) return mine.entry;
  mine.entered = true;
  mine.entry = start_;
  for (const int before : mine.before)
    include(mine.entry, list_.unit_tasks[at(before)] > 0 ? units_[at(before)].done : entry(before));
  return mine.entry;
}

Places Fences::before(int task) {
  Places places = entry(list_.tasks[at(task)].unit);
  for (const int other : after_[at(task)]) include(places, tasks_[at(other)]);
  return places;
}

void Fences::finished(int task, const Places& places) {
  tasks_[at(task)] = places;
  include(units_[at(list_.tasks[at(task)].unit)].done, places);
}

const Places& Fences::of_unit(int task) const {
  return units_[at(list_.tasks[at(task)].unit)].done;
}

}  // namespace quintet::engine
