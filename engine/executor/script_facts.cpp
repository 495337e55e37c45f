#include "engine/executor/script_facts.h"

#include "engine/parameters/flat_units.h"

namespace quintet::engine {

namespace {

Stretch stretch_of(Block block) {
  switch (block) {
    case Block::none:
      return Stretch::none;
    case Block::embedding:
      return Stretch::embedding;
    case Block::attention:
    case Block::mlp:
      return Stretch::layer;
    case Block::head:
      return Stretch::head;
  }
  return Stretch::none;
}

void add_phase(BodyFacts& facts, const Operator& work) {
  switch (work.phase) {
    case Phase::forward:
      facts.forward = true;
      return;
    case Phase::recompute:
      facts.again = facts.again || work.kind != OperatorKind::attention;
      return;
    case Phase::input_gradient:
      facts.backward = true;
      return;
    case Phase::weight_gradient:
      facts.weights = true;
      return;
    case Phase::backward:
      facts.backward = facts.weights = true;
      return;
    case Phase::update:
      return;
  }
}

BodyFacts facts_of(const Body& body) {
  BodyFacts facts;
  facts.pairs = pairs_of(body);
  for (const Instruction& instruction : body.instructions) {
    if (facts.stretch == Stretch::none) facts.stretch = stretch_of(instruction.block);
    if (const auto* const compute = std::get_if<Compute>(&instruction.action))
      add_phase(facts, compute->work);
  }
  return facts;
}

bool recomputes(const Body& body) {
  for (const Instruction& instruction : body.instructions)
    if (const auto* const compute = std::get_if<Compute>(&instruction.action))
      if (compute->work.phase == Phase::recompute) return true;
  return false;
}

}  // namespace

int layer_of(const Call& call, int iteration) {
  return call.first_layer < 0 ? -1 : call.first_layer + iteration * call.layer_step;
}

std::size_t first_compute_lane(const Program& program) {
  std::size_t lane = 0;
  while (lane < program.lanes.size() && program.lanes[lane].kind != LaneKind::compute) ++lane;
  return lane;
}

ScriptFacts script_facts(const Program& program, const Script& script) {
  ScriptFacts facts;
  for (const Body& body : program.bodies) facts.bodies.push_back(facts_of(body));
  for (const Call& call : script.calls) {
    if (!recomputes(program.bodies[call.body.index()])) continue;
    const bool again = facts.bodies[call.body.index()].again;
    for (int iteration = 0; iteration < call.layers; ++iteration)
      facts.kept[layer_of(call, iteration)] = again ? Kept::input : Kept::all_but_core;
  }
  facts.before_exchange.assign(script.calls.size(), false);
  bool later = false;
  for (std::size_t number = script.calls.size(); number-- > 0;) {
    facts.before_exchange[number] = later;
    later = later || use_of(program, script.calls[number]) == UnitUse::exchange;
  }
  return facts;
}

}  // namespace quintet::engine
