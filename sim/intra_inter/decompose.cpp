#include "sim/intra_inter/decompose.h"

#include <algorithm>
#include <optional>

#include "sim/intra_inter/phases.h"
#include "sim/program/groups.h"

namespace quintet {

namespace {

// A communicator's two levels: ranks of one host, and hosts.
struct Levels {
  CommunicatorId inside, across;
  std::vector<int> sizes;
};

// How far apart in rank neighbours along the axis are.
int rank_stride(const Grid& grid, Axis axis) {
  int stride = 1;
  for (const AxisSize& each : grid.axes) {
    if (each.axis == axis) break;
    stride *= each.size;
  }
  return stride;
}

std::optional<Levels> levels_of(Program& program, const Communicator& communicator,
                                const IntraInter& intra_inter, int ranks_per_host) {
  if (communicator.parts.size() != 1 || !communicator.stages.empty()) return std::nullopt;
  const AxisPart part = communicator.parts.front();
  if (decomposition_of(intra_inter, part.axis) == Decomposition::flat) return std::nullopt;
  const int size = group_size(program.grid, communicator);
  const int apart = rank_stride(program.grid, part.axis) * part.stride;
  if (ranks_per_host % apart != 0) return std::nullopt;
  const int inside = ranks_per_host / apart;
  if (inside < 2 || inside >= size || size % inside != 0) return std::nullopt;
  const std::size_t next = program.communicators.size();
  const Levels levels{id_at<CommunicatorId>(next), id_at<CommunicatorId>(next + 1),
                      {inside, size / inside}};
  program.communicators.push_back({communicator.name + " inside hosts",
                                   {{part.axis, inside, part.stride}},
                                   {},
                                   HostLevel::inside,
                                   levels.across});
  program.communicators.push_back({communicator.name + " across hosts",
                                   {{part.axis, size / inside, part.stride * inside}},
                                   {},
                                   HostLevel::across,
                                   levels.inside});
  return levels;
}

// Puts the phases in the instruction's place; returns the index of the last one.
int append_phases(Body& body, const Instruction& instruction, const Collective& collective,
                  const Levels& levels) {
  Instruction phase = instruction;
  for (const CollectivePhase& each : phases(collective.kind, levels.sizes)) {
    phase.name = instruction.name + ": " + std::string(name_of(each.kind)) +
                 (each.level == 0 ? " inside hosts" : " across hosts");
    phase.action = Collective{each.kind, each.level == 0 ? levels.inside : levels.across,
                              each.share * collective.size, collective.type, collective.purpose};
    body.instructions.push_back(phase);
    phase.after = {static_cast<int>(body.instructions.size()) - 1};
  }
  return static_cast<int>(body.instructions.size()) - 1;
}

Body decomposed(const Body& body, const std::vector<std::optional<Levels>>& levels) {
  Body result = body;
  result.instructions.clear();
  std::vector<int> moved;  // where the last part of each instruction went
  for (Instruction instruction : body.instructions) {
    for (int& earlier : instruction.after) earlier = moved[static_cast<std::size_t>(earlier)];
    const auto* collective = std::get_if<Collective>(&instruction.action);
    if (collective && levels[collective->communicator.index()]) {
      moved.push_back(append_phases(result, instruction, *collective,
                                    *levels[collective->communicator.index()]));
      continue;
    }
    result.instructions.push_back(std::move(instruction));
    moved.push_back(static_cast<int>(result.instructions.size()) - 1);
  }
  return result;
}

}  // namespace

Program decompose(Program program, const IntraInter& intra_inter, int ranks_per_host) {
  const std::vector<Communicator> flat = program.communicators;
  std::vector<std::optional<Levels>> levels;
  for (const Communicator& communicator : flat)
    levels.push_back(levels_of(program, communicator, intra_inter, ranks_per_host));
  if (std::none_of(levels.begin(), levels.end(), [](const auto& each) { return each.has_value(); }))
    return program;
  for (Body& body : program.bodies) body = decomposed(body, levels);
  return program;
}

}  // namespace quintet
