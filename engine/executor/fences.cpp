#include "engine/executor/fences.h"

#include <utility>

namespace quintet::engine {

namespace {

std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}

}  // namespace

Fences::Fences(const TaskList& list, const InstructionTable& table)
    : list_(list), units_(list.units.size()), tasks_(list.tasks.size()) {
  for (std::size_t unit = 0; unit < units_.size(); ++unit)
    for (const int next : list.units[unit].successors)
      units_[at(next)].before.push_back(static_cast<int>(unit));
  for (const Task& task : list.tasks) {
    std::vector<int> after = table.instructions[at(task.instruction)]->after;
    for (int& place : after) place += list.units[at(task.unit)].first;
    after_.push_back(std::move(after));
  }
  find_awaited();
}

void Fences::find_awaited() {
  awaited_.assign(list_.tasks.size(), false);
  for (std::size_t task = 0; task < list_.tasks.size(); ++task) {
    const std::int16_t lane = list_.tasks[task].lane;
    for (const int other : after_[task])
      if (list_.task(other).lane != lane) awaited_[at(other)] = true;
    if (!is_last_of_lane(static_cast<int>(task))) continue;
    for (const int next : list_.unit_of(static_cast<int>(task)).successors)
      if (has_other_lane(next, lane)) awaited_[task] = true;
  }
}

// Among its iteration's tasks.
bool Fences::is_last_of_lane(int task) const {
  const TaskList::Unit& unit = list_.unit_of(task);
  for (int later = task + 1; later < unit.first + unit.tasks; ++later)
    if (list_.task(later).lane == list_.task(task).lane) return false;
  return true;
}

bool Fences::has_other_lane(int number, std::int16_t lane) const {
  const TaskList::Unit& unit = list_.units[at(number)];
  for (int task = unit.first; task < unit.first + unit.tasks; ++task)
    if (list_.task(task).lane != lane) return true;
  return false;
}

void Fences::begin_step(const Places& start) {
  start_ = start;
  for (Unit& unit : units_) {
    unit.entered = false;
    unit.done = {};
  }
}

// A unit's tasks come after its entry, so what follows them does.
const Places& Fences::entry(int unit) {
  Unit& mine = units_[at(unit)];
  if (mine.entered) return mine.entry;
  mine.entered = true;
  mine.entry = start_;
  for (const int before : mine.before) include(mine.entry, units_[at(before)].done);
  return mine.entry;
}

Places Fences::before(int task) {
  Places places = entry(list_.task(task).unit);
  for (const int other : after_[at(task)]) include(places, tasks_[at(other)]);
  return places;
}

void Fences::finished(int task, const Places& places) {
  tasks_[at(task)] = places;
  include(units_[at(list_.task(task).unit)].done, places);
}

const Places& Fences::of_unit(int task) const {
  return units_[at(list_.task(task).unit)].done;
}

}  // namespace quintet::engine
