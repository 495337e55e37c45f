#include "engine/executor/task_list.h"

#include <algorithm>

namespace quintet::engine {

namespace {

std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}

void add_unit(TaskList& list, const Body& body, int call, int iteration) {
  const int unit = static_cast<int>(list.unit_first.size());
  list.unit_first.push_back(static_cast<int>(list.tasks.size()));
  list.unit_tasks.push_back(static_cast<int>(body.instructions.size()));
  list.unit_waits.push_back(0);
  list.unit_successors.emplace_back();
  for (std::size_t place = 0; place < body.instructions.size(); ++place) {
    list.lanes[body.instructions[place].lane.index()].push_back(
        static_cast<int>(list.tasks.size()));
    list.tasks.push_back({call, iteration, static_cast<int>(place), unit, -1});
  }
}

// The n-th in the script on every rank is one collective (program.h, rule 4).
void number_uses(TaskList& list, const Program& program, const Script& script) {
  list.uses.assign(program.communicators.size(), 0);
  for (Task& task : list.tasks) {
    const Body& body = program.bodies[script.calls[at(task.call)].body.index()];
    const auto* const collective =
        std::get_if<Collective>(&body.instructions[at(task.place)].action);
    if (collective) task.use = list.uses[collective->communicator.index()]++;
  }
}

void let_wait(TaskList& list, int unit, int before) {
  ++list.unit_waits[at(unit)];
  list.unit_successors[at(before)].push_back(unit);
}

}  // namespace

TaskList task_list(const Program& program, const Script& script) {
  TaskList list;
  list.lanes.resize(program.lanes.size());
  std::vector<std::pair<int, int>> units_of_call;  // first, last
  for (std::size_t number = 0; number < script.calls.size(); ++number) {
    const Call& call = script.calls[number];
    const int first = static_cast<int>(list.unit_first.size());
    for (int iteration = 0; iteration < call.layers; ++iteration) {
      add_unit(list, program.bodies[call.body.index()], static_cast<int>(number), iteration);
      const int unit = first + iteration;
      if (iteration > 0) let_wait(list, unit, unit - 1);
      if (iteration > 0) continue;
      // The last iteration follows all others.
      for (const int before : call.after) let_wait(list, unit, units_of_call[at(before)].second);
    }
    units_of_call.emplace_back(first, static_cast<int>(list.unit_first.size()) - 1);
  }
  number_uses(list, program, script);
  return list;
}

TaskProgress::TaskProgress(const Program& program, const Script& script, const TaskList& list)
    : program_(program),
      script_(script),
      list_(list),
      heads_(list.lanes.size(), 0),
      busy_(list.lanes.size(), false),
      over_(list.tasks.size(), false),
      waits_(list.unit_waits),
      started_(list.unit_first.size(), 0),
      left_(list.unit_tasks) {}

const Instruction& TaskProgress::instruction(int task) const {
  const Task& each = list_.tasks[at(task)];
  return program_.bodies[script_.calls[at(each.call)].body.index()].instructions[at(each.place)];
}

int TaskProgress::ready(std::size_t lane) const {
  if (busy_[lane] || heads_[lane] == list_.lanes[lane].size()) return -1;
  const int task = list_.lanes[lane][heads_[lane]];
  const int unit = list_.tasks[at(task)].unit;
  if (waits_[at(unit)] > 0) return -1;
  const std::vector<int>& after = instruction(task).after;
  const bool waiting = std::any_of(after.begin(), after.end(), [&](int place) {
    return !over_[at(list_.unit_first[at(unit)] + place)];
  });
  return waiting ? -1 : task;
}

void TaskProgress::start(int task) {
  const std::size_t lane = instruction(task).lane.index();
  busy_[lane] = true;
  ++heads_[lane];
  ++started_[at(list_.tasks[at(task)].unit)];
}

void TaskProgress::finish(int task) {
  busy_[instruction(task).lane.index()] = false;
  over_[at(task)] = true;
  ++finished_;
  const int unit = list_.tasks[at(task)].unit;
  if (--left_[at(unit)] == 0) finish_unit(unit);
}

void TaskProgress::finish_unit(int unit) {
  for (const int next : list_.unit_successors[at(unit)])
    if (--waits_[at(next)] == 0 && list_.unit_tasks[at(next)] == 0) finish_unit(next);
}

bool TaskProgress::begins_unit(int task) const {
  return started_[at(list_.tasks[at(task)].unit)] == 0;
}

bool TaskProgress::ends_unit(int task) const {
  return left_[at(list_.tasks[at(task)].unit)] == 0;
}

}  // namespace quintet::engine
