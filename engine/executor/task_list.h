// A role's script laid out flat: one task per instruction that will run, in script order, and what
// each waits for (sim/program/program.h, rules 1 to 3).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/program/program.h"

namespace quintet::engine {

struct Task {
  int call = 0;
  int iteration = 0;
  int place = 0;  // in the body
  int unit = 0;   // one iteration of one call
  int use = -1;   // collectives: the n-th use of their communicator in a step
};

struct TaskList {
  std::vector<Task> tasks;
  std::vector<std::vector<int>> lanes;  // tasks per lane, in order
  std::vector<int> uses;                // per communicator, in a step
  // Units: their first task and how many they have, how many units they wait for, who waits for
  // them.
  std::vector<int> unit_first, unit_tasks, unit_waits;
  std::vector<std::vector<int>> unit_successors;
};

TaskList task_list(const Program& program, const Script& script);

// The walk through the list: what may start.
class TaskProgress {
 public:
  TaskProgress(const Program& program, const Script& script, const TaskList& list);

  bool done() const { return finished_ == list_.tasks.size(); }
  // The head of the lane, if it may start now; -1 otherwise.
  int ready(std::size_t lane) const;
  void start(int task);              // takes it off its lane
  void finish(int task);             // frees the lane
  bool begins_unit(int task) const;  // none of its unit has started
  bool ends_unit(int task) const;    // asked after finish(): all of its unit are over
  std::size_t lanes() const { return heads_.size(); }

 private:
  const Instruction& instruction(int task) const;
  void finish_unit(int unit);

  const Program& program_;
  const Script& script_;
  const TaskList& list_;
  std::vector<std::size_t> heads_;
  std::vector<bool> busy_, over_;
  std::vector<int> waits_, started_, left_;  // per unit
  std::size_t finished_ = 0;
};

}  // namespace quintet::engine
