// A role's script laid out flat: one task per instruction that will run, numbered in script order,
// and what each waits for (program.h, rules 1 to 3). Both executors walk it (readiness.h).
//
// For example a body "a, then on another lane b after a", called for 2 layers, and a body "c" that
// is called after that, on a's lane:
//
//   task     0  1  2  3  4
//   runs     a  b  a  b  c      lane 0: 0 2 4      task 1 waits for task 0, 3 for 2
//   unit     0  0  1  1  2      lane 1: 1 3        unit 1 waits for unit 0, 2 for 1
#pragma once

#include <cstdint>
#include <vector>

#include "sim/program/program.h"

namespace quintet {

// The instructions of all bodies, in order. Timelines and costs are kept per such number. The
// program must outlive them.
std::vector<const Instruction*> all_instructions(const Program& program);

struct InstructionTable {
  std::vector<const Instruction*> instructions;
  std::vector<std::int32_t> first_of_body;            // of each body's first instruction
  std::vector<std::vector<std::int32_t>> successors;  // whom it lets go on: how many places further

  explicit InstructionTable(const Program& program);
};

struct Task {
  std::int32_t instruction = 0;  // in the InstructionTable
  std::int32_t call = 0;
  std::int32_t unit = 0;    // one iteration of one call
  std::int32_t layer = -1;  // -1: not about a layer
  std::int32_t use = -1;    // collectives: the n-th use of the communicator in the step
  std::int16_t lane = 0;
  std::int16_t place = 0;  // in its body
};

struct TaskList {
  struct Unit {
    std::int32_t first = 0;  // of its tasks
    std::int32_t tasks = 0;
    std::int32_t waits = 0;                // how many units must be over before it
    std::vector<std::int32_t> successors;  // units that it lets go on
  };

  std::vector<Task> tasks;
  std::vector<std::uint8_t> waits;  // per task: how many of its own unit come before it
  std::vector<std::vector<std::int32_t>> lanes;  // task numbers per lane, in order
  std::vector<Unit> units;
  std::vector<std::int32_t> first_units;  // per call
  std::vector<std::int32_t> uses;         // per communicator, in the step

  const Task& task(std::int32_t number) const { return tasks[static_cast<std::size_t>(number)]; }
  const Unit& unit_of(std::int32_t number) const {
    return units[static_cast<std::size_t>(task(number).unit)];
  }
  // The iteration of its call that the task is in.
  std::int32_t iteration(const Task& of) const {
    return of.unit - first_units[static_cast<std::size_t>(of.call)];
  }
};

// The table must be the program's, and the program without faults.
TaskList task_list(const Program& program, const Script& script, const InstructionTable& table);

}  // namespace quintet
