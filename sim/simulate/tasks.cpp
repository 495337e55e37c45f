#include "sim/simulate/tasks.h"

#include <algorithm>

namespace quintet {

InstructionTable::InstructionTable(const Program& program) {
  for (const Body& body : program.bodies) {
    const std::size_t first = instructions.size();
    first_of_body.push_back(static_cast<std::int32_t>(first));
    for (const Instruction& instruction : body.instructions) {
      const auto place = static_cast<std::int32_t>(instructions.size() - first);
      instructions.push_back(&instruction);
      waits.push_back(static_cast<std::uint8_t>(instruction.after.size()));
      successors.emplace_back();
      for (const int earlier : instruction.after)
        successors[first + static_cast<std::size_t>(earlier)].push_back(place - earlier);
    }
  }
}

namespace {

void append_call(TaskList& list, const Program& program, const Call& call, std::int32_t call_index,
                 const InstructionTable& table, std::vector<std::int32_t>& uses) {
  const Body& body = program.bodies[call.body.index()];
  for (int iteration = 0; iteration < call.layers; ++iteration)
    for (std::size_t place = 0; place < body.instructions.size(); ++place) {
      const Instruction& instruction = body.instructions[place];
      Task task;
      task.instruction = table.first_of_body[call.body.index()] + static_cast<std::int32_t>(place);
      task.call = call_index;
      task.layer = call.first_layer < 0 ? -1 : call.first_layer + iteration * call.layer_step;
      task.lane = static_cast<std::int16_t>(instruction.lane.value);
      task.place = static_cast<std::int16_t>(place);
      if (const auto* collective = std::get_if<Collective>(&instruction.action))
        task.ordinal = uses[collective->communicator.index()]++;
      list.lanes[instruction.lane.index()].push_back(static_cast<std::int32_t>(list.tasks.size()));
      list.tasks.push_back(task);
    }
}

}  // namespace

TaskList task_list(const Program& program, const Role& role, const InstructionTable& table) {
  TaskList list;
  list.lanes.resize(program.lanes.size());
  const std::vector<Call>& calls = role.script.calls;
  list.call_successors.resize(calls.size());
  std::vector<std::int32_t> uses(program.communicators.size(), 0);
  for (std::size_t index = 0; index < calls.size(); ++index) {
    const auto number = static_cast<std::int32_t>(index);
    list.first_of_call.push_back(static_cast<std::int32_t>(list.tasks.size()));
    list.call_waits.push_back(static_cast<std::int32_t>(calls[index].after.size()));
    for (const int earlier : calls[index].after)
      list.call_successors[static_cast<std::size_t>(earlier)].push_back(number);
    append_call(list, program, calls[index], number, table, uses);
  }
  list.first_of_call.push_back(static_cast<std::int32_t>(list.tasks.size()));
  return list;
}

std::vector<std::int32_t> communicator_uses(const Program& program, const TaskList& list,
                                            const InstructionTable& table) {
  std::vector<std::int32_t> uses(program.communicators.size(), 0);
  for (const Task& task : list.tasks) {
    const Action& action = table.instructions[static_cast<std::size_t>(task.instruction)]->action;
    if (const auto* collective = std::get_if<Collective>(&action))
      ++uses[collective->communicator.index()];
  }
  return uses;
}

}  // namespace quintet
