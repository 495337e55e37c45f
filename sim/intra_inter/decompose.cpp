#include "sim/intra_inter/decompose.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <optional>

#include "sim/program/groups.h"

namespace quintet {
namespace {

// A level with more than one rank, and what is left of the buffer when a scatter reaches it.
struct Stage {
  int level = 0;
  double share = 1.0;
};

std::vector<Stage> stages_of(const std::vector<int>& sizes) {
  std::vector<Stage> stages;
  double share = 1.0;
  for (std::size_t level = 0; level < sizes.size(); ++level) {
    assert(sizes[level] >= 1);
    if (sizes[level] > 1) stages.push_back({static_cast<int>(level), share});
    share /= sizes[level];
  }
  return stages;
}

enum class Direction { inside_out, outside_in };

std::vector<CollectivePhase> each(CollectiveKind kind, std::vector<Stage> stages,
                                  Direction direction) {
  if (direction == Direction::outside_in) std::reverse(stages.begin(), stages.end());
  std::vector<CollectivePhase> found;
  for (const Stage& stage : stages) found.push_back({kind, stage.level, stage.share});
  return found;
}

std::vector<CollectivePhase> whole_buffer(std::vector<CollectivePhase> found) {
  for (CollectivePhase& phase : found) phase.share = 1.0;
  return found;
}

std::vector<CollectivePhase> all_reduce_phases(const std::vector<Stage>& stages) {
  if (stages.empty()) return {};
  const std::vector<Stage> inner(stages.begin(), stages.end() - 1);
  std::vector<CollectivePhase> found =
      each(CollectiveKind::reduce_scatter, inner, Direction::inside_out);
  found.push_back({CollectiveKind::all_reduce, stages.back().level, stages.back().share});
  const std::vector<CollectivePhase> back =
      each(CollectiveKind::all_gather, inner, Direction::outside_in);
  found.insert(found.end(), back.begin(), back.end());
  return found;
}

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
  const Levels levels{
      id_at<CommunicatorId>(next), id_at<CommunicatorId>(next + 1), {inside, size / inside}};
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

std::vector<CollectivePhase> phases(CollectiveKind kind, const std::vector<int>& level_sizes) {
  const std::vector<Stage> stages = stages_of(level_sizes);
  switch (kind) {
    case CollectiveKind::all_reduce:
      return all_reduce_phases(stages);
    case CollectiveKind::reduce_scatter:
      return each(kind, stages, Direction::inside_out);
    case CollectiveKind::all_gather:
      return each(kind, stages, Direction::outside_in);
    case CollectiveKind::broadcast:
      return whole_buffer(each(kind, stages, Direction::outside_in));
    case CollectiveKind::reduce:
    case CollectiveKind::all_to_all:
      return whole_buffer(each(kind, stages, Direction::inside_out));
  }
  assert(false);
  return {};
}

std::vector<std::vector<int>> subgroups(const std::vector<int>& level_sizes, int level) {
  int stride = 1, ranks = 1;
  for (std::size_t i = 0; i < level_sizes.size(); ++i) {
    if (static_cast<int>(i) < level) stride *= level_sizes[i];
    ranks *= level_sizes[i];
  }
  const int size = level_sizes[static_cast<std::size_t>(level)];
  std::vector<std::vector<int>> groups;
  for (int first = 0; first < ranks; ++first) {
    if (first / stride % size != 0) continue;
    std::vector<int>& group = groups.emplace_back();
    for (int member = 0; member < size; ++member) group.push_back(first + member * stride);
  }
  return groups;
}

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
