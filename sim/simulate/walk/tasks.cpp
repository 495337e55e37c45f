#include "sim/simulate/walk/tasks.h"

#include <cassert>
#include <limits>
#include <utility>

namespace quintet {

InstructionTable::InstructionTable(const Program& program) {
  for (const Body& body : program.bodies) {
    const std::size_t first = instructions.size();
    first_of_body.push_back(static_cast<std::int32_t>(first));
    for (const Instruction& instruction : body.instructions) {
      const auto place = static_cast<std::int32_t>(instructions.size() - first);
      instructions.push_back(&instruction);
      assert(instruction.after.size() <= std::numeric_limits<std::uint8_t>::max());
      waits.push_back(static_cast<std::uint8_t>(instruction.after.size()));
      successors.emplace_back();
      for (const int earlier : instruction.after)
        successors[first + static_cast<std::size_t>(earlier)].push_back(place - earlier);
    }
  }
}

namespace {

class Expansion {
 public:
  Expansion(const Program& program, const InstructionTable& table)
      : program_(program), table_(table) {
    list_.lanes.resize(program.lanes.size());
    uses_.resize(program.communicators.size(), 0);
  }

  void append(const Call& call) {
    const auto number = static_cast<std::int32_t>(last_units_.size());
    std::vector<std::int32_t> before;
    for (const int earlier : call.after)
      before.push_back(last_units_[static_cast<std::size_t>(earlier)]);
    for (int iteration = 0; iteration < call.layers; ++iteration) {
      const std::int32_t unit = add_unit(before);
      add_tasks(call, number, iteration, unit);
      before = {unit};
    }
    assert(!before.empty() && call.layers > 0);
    last_units_.push_back(before.front());
  }

  TaskList list() && { return std::move(list_); }

 private:
  std::int32_t add_unit(const std::vector<std::int32_t>& before) {
    const auto unit = static_cast<std::int32_t>(list_.unit_waits.size());
    list_.unit_waits.push_back(static_cast<std::int32_t>(before.size()));
    list_.unit_tasks.push_back(0);
    list_.unit_successors.emplace_back();
    for (const std::int32_t earlier : before)
      list_.unit_successors[static_cast<std::size_t>(earlier)].push_back(unit);
    return unit;
  }

  void add_tasks(const Call& call, std::int32_t number, int iteration, std::int32_t unit) {
    const Body& body = program_.bodies[call.body.index()];
    list_.unit_tasks.back() = static_cast<std::int32_t>(body.instructions.size());
    for (std::size_t place = 0; place < body.instructions.size(); ++place) {
      const Instruction& instruction = body.instructions[place];
      Task task;
      task.instruction = table_.first_of_body[call.body.index()] + static_cast<std::int32_t>(place);
      task.call = number;
      task.unit = unit;
      task.layer = call.first_layer < 0 ? -1 : call.first_layer + iteration * call.layer_step;
      task.lane = static_cast<std::int16_t>(instruction.lane.value);
      task.place = static_cast<std::int16_t>(place);
      if (const auto* collective = std::get_if<Collective>(&instruction.action))
        task.ordinal = uses_[collective->communicator.index()]++;
      list_.lanes[instruction.lane.index()].push_back(
          static_cast<std::int32_t>(list_.tasks.size()));
      list_.tasks.push_back(task);
    }
  }

  const Program& program_;
  const InstructionTable& table_;
  TaskList list_;
  std::vector<std::int32_t> last_units_;  // per call
  std::vector<std::int32_t> uses_;        // per communicator
};

}  // namespace

TaskList task_list(const Program& program, const Role& role, const InstructionTable& table) {
  Expansion expansion(program, table);
  for (const Call& call : role.script.calls) expansion.append(call);
  return std::move(expansion).list();
}

}  // namespace quintet
