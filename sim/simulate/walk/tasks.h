// A role's script laid out flat: one task per instruction that will run, numbered in script order.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/program/program.h"

namespace quintet {

// Numbers every instruction of every body of a program once; timelines and costs are kept per such
// number.
struct InstructionTable {
  std::vector<const Instruction*> instructions;
  std::vector<std::int32_t> first_of_body;  // of each body's first instruction
  std::vector<std::uint8_t> waits;          // how many instructions of its body each waits for
  std::vector<std::vector<std::int32_t>> successors;  // whom it lets go on: how many places further

  explicit InstructionTable(const Program& program);
};

struct Task {
  std::int32_t instruction = 0;  // in the InstructionTable
  std::int32_t call = 0;
  std::int32_t unit = 0;  // one iteration of one call
  std::int32_t layer = -1;
  std::int32_t ordinal = -1;  // collectives: the n-th use of the communicator
  std::int16_t lane = 0;
  std::int16_t place = 0;  // in its body
};

struct TaskList {
  std::vector<Task> tasks;
  std::vector<std::vector<std::int32_t>> lanes;  // task numbers per lane, in order
  // Units (iterations of calls): how many tasks each has, how many units it waits for, whom it lets
  // go on.
  std::vector<std::int32_t> unit_tasks;
  std::vector<std::int32_t> unit_waits;
  std::vector<std::vector<std::int32_t>> unit_successors;
};

TaskList task_list(const Program& program, const Role& role, const InstructionTable& table);

}  // namespace quintet
