// What a program does in all, counted instruction by instruction.
#pragma once

#include <functional>
#include <string>

#include "sim/program/groups.h"
#include "sim/program/program.h"

namespace quintet::test {

// Each instruction as often as one rank of the role runs it.
using Visit = std::function<void(const Call&, const Instruction&, int times)>;
inline void each_instruction(const Program& program, const Role& role, const Visit& visit) {
  for (const Call& call : role.script.calls)
    for (const Instruction& instruction : program.bodies[call.body.index()].instructions)
      visit(call, instruction, call.layers);
}

inline double flops_of_role(const Program& program, const Role& role) {
  double sum = 0;
  each_instruction(program, role, [&](const Call&, const Instruction& instruction, int times) {
    if (const auto* compute = std::get_if<Compute>(&instruction.action))
      sum += times * flops_of(compute->work, AttentionCount::full).value;
  });
  return sum;
}

// Over all ranks.
inline double flops_of_step(const Program& program) {
  double sum = 0;
  for (const Role& role : program.roles) sum += flops_of_role(program, role);
  return sum * world_size(program.grid) / static_cast<double>(program.roles.size());
}

// Bytes of one kind of collective over the communicator of that name, on one rank of the role.
inline double collective_bytes(const Program& program, const Role& role, CollectiveKind kind,
                               const std::string& communicator) {
  double sum = 0;
  each_instruction(program, role, [&](const Call&, const Instruction& instruction, int times) {
    const auto* collective = std::get_if<Collective>(&instruction.action);
    if (!collective || collective->kind != kind) return;
    if (program.communicators[collective->communicator.index()].name != communicator) return;
    sum += times * collective->size.value;
  });
  return sum;
}

inline const std::string& body_name(const Program& program, const Call& call) {
  return program.bodies[call.body.index()].name;
}

}  // namespace quintet::test
