#include "sim/program/tasks.h"

#include <cassert>
#include <limits>
#include <utility>

namespace quintet {

std::vector<const Instruction*> all_instructions(const Program& program) {
  std::vector<const Instruction*> instructions;
  for (const Body& body : program.bodies)
    for (const Instruction& instruction : body.instructions) instructions.push_back(&instruction);
  return instructions;
}

InstructionTable::InstructionTable(const Program& program)
    : instructions(all_instructions(program)), successors(instructions.size()) {
  std::int32_t first = 0;
  for (const Body& body : program.bodies) {
    first_of_body.push_back(first);
    const auto end = first + static_cast<std::int32_t>(body.instructions.size());
    for (std::int32_t number = first; number < end; ++number)
      for (const int earlier : instructions[static_cast<std::size_t>(number)]->after)
        successors[static_cast<std::size_t>(first + earlier)].push_back(number - first - earlier);
    first = end;
  }
}

namespace {

class Expansion {
 public:
  Expansion(const Program& program, const InstructionTable& table)
      : program_(program), table_(table) {
    list_.lanes.resize(program.lanes.size());
    list_.uses.resize(program.communicators.size(), 0);
  }

  void make_room(const Script& script) {
    std::size_t tasks = 0, units = 0;
    for (const Call& call : script.calls) {
      const auto layers = static_cast<std::size_t>(call.layers);
      units += layers;
      tasks += layers * program_.bodies[call.body.index()].instructions.size();
    }
    list_.units.reserve(units);
    list_.tasks.reserve(tasks);
    list_.waits.reserve(tasks);
    list_.first_units.reserve(script.calls.size());
    last_units_.reserve(script.calls.size());
  }

  // A call's last iteration follows all its others.
  void append(const Call& call) {
    const auto number = static_cast<std::int32_t>(list_.first_units.size());
    list_.first_units.push_back(static_cast<std::int32_t>(list_.units.size()));
    std::vector<std::int32_t> before;
    for (const int earlier : call.after)
      before.push_back(last_units_[static_cast<std::size_t>(earlier)]);
    for (int iteration = 0; iteration < call.layers; ++iteration) {
      const std::int32_t unit = add_unit(before);
      const int layer = call.first_layer + iteration * call.layer_step;
      add_tasks(call.body,
                {.call = number, .unit = unit, .layer = call.first_layer < 0 ? -1 : layer});
      before = {unit};
    }
    last_units_.push_back(before.front());
  }

  TaskList list() && { return std::move(list_); }

 private:
  std::int32_t add_unit(const std::vector<std::int32_t>& before) {
    const auto unit = static_cast<std::int32_t>(list_.units.size());
    list_.units.push_back({.first = static_cast<std::int32_t>(list_.tasks.size()),
                           .waits = static_cast<std::int32_t>(before.size()),
                           .successors = {}});
    for (const std::int32_t earlier : before)
      list_.units[static_cast<std::size_t>(earlier)].successors.push_back(unit);
    return unit;
  }

  void add_tasks(BodyId id, Task task) {
    const Body& body = program_.bodies[id.index()];
    list_.units.back().tasks = static_cast<std::int32_t>(body.instructions.size());
    for (std::size_t place = 0; place < body.instructions.size(); ++place) {
      const Instruction& instruction = body.instructions[place];
      task.instruction = table_.first_of_body[id.index()] + static_cast<std::int32_t>(place);
      task.lane = static_cast<std::int16_t>(instruction.lane.value);
      task.place = static_cast<std::int16_t>(place);
      const auto* const collective = std::get_if<Collective>(&instruction.action);
      task.use = collective ? list_.uses[collective->communicator.index()]++ : -1;
      list_.lanes[instruction.lane.index()].push_back(
          static_cast<std::int32_t>(list_.tasks.size()));
      list_.tasks.push_back(task);
      assert(instruction.after.size() <= std::numeric_limits<std::uint8_t>::max());
      list_.waits.push_back(static_cast<std::uint8_t>(instruction.after.size()));
    }
  }

  const Program& program_;
  const InstructionTable& table_;
  TaskList list_;
  std::vector<std::int32_t> last_units_;  // per call
};

}  // namespace

TaskList task_list(const Program& program, const Script& script, const InstructionTable& table) {
  Expansion expansion(program, table);
  expansion.make_room(script);
  for (const Call& call : script.calls) expansion.append(call);
  return std::move(expansion).list();
}

}  // namespace quintet
