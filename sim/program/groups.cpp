#include "sim/program/groups.h"

#include <algorithm>
#include <cassert>

namespace quintet {

namespace {

// The product of the sizes of the axes inside `axis`: how far apart in rank its neighbours are.
int stride_of(const Grid& grid, Axis axis) {
  int stride = 1;
  for (const AxisSize& each : grid.axes) {
    if (each.axis == axis) return stride;
    stride *= each.size;
  }
  return stride;
}

int part_size(const Grid& grid, const AxisPart& part) {
  return part.size > 0 ? part.size : size_of(grid, part.axis) / part.stride;
}

// The coordinate along the axis that a group's first member has.
int part_start(const Grid& grid, const AxisPart& part, int position) {
  const int span = part.stride * part_size(grid, part);
  return position - position % span + position % part.stride;
}

}  // namespace

int world_size(const Grid& grid) {
  int ranks = 1;
  for (const AxisSize& each : grid.axes) ranks *= each.size;
  return ranks;
}

int size_of(const Grid& grid, Axis axis) {
  const auto found = std::find_if(grid.axes.begin(), grid.axes.end(),
                                  [axis](const AxisSize& each) { return each.axis == axis; });
  return found == grid.axes.end() ? 1 : found->size;
}

int coordinate(const Grid& grid, Rank rank, Axis axis) {
  return rank.value / stride_of(grid, axis) % size_of(grid, axis);
}

RoleId role_of(const Grid& grid, Rank rank) {
  return RoleId{coordinate(grid, rank, Axis::pipeline)};
}

std::vector<Rank> group_of(const Grid& grid, const Communicator& communicator, Rank rank) {
  int base = rank.value;
  for (const AxisPart& part : communicator.parts) {
    const int position = coordinate(grid, rank, part.axis);
    base += (part_start(grid, part, position) - position) * stride_of(grid, part.axis);
  }
  std::vector<Rank> members{Rank{base}};
  for (const AxisPart& part : communicator.parts) {
    std::vector<Rank> widened;
    for (int step = 0; step < part_size(grid, part); ++step)
      for (const Rank member : members)
        widened.push_back(Rank{member.value + step * part.stride * stride_of(grid, part.axis)});
    members = std::move(widened);
  }
  if (communicator.stages.empty()) return members;
  const auto left_out = [&](Rank member) {
    const int stage = coordinate(grid, member, Axis::pipeline);
    return std::find(communicator.stages.begin(), communicator.stages.end(), stage) ==
           communicator.stages.end();
  };
  if (left_out(rank)) return {};
  std::erase_if(members, left_out);
  return members;
}

std::vector<std::vector<Rank>> all_groups(const Grid& grid, const Communicator& communicator) {
  std::vector<std::vector<Rank>> groups;
  const int ranks = world_size(grid);
  std::vector<bool> seen(static_cast<std::size_t>(ranks), false);
  for (int index = 0; index < ranks; ++index) {
    if (seen[static_cast<std::size_t>(index)]) continue;
    std::vector<Rank> group = group_of(grid, communicator, Rank{index});
    for (const Rank member : group) seen[member.index()] = true;
    if (!group.empty()) groups.push_back(std::move(group));
  }
  return groups;
}

int group_size(const Grid& grid, const Communicator& communicator) {
  int size = 1;
  for (const AxisPart& part : communicator.parts)
    size *= part.axis == Axis::pipeline && !communicator.stages.empty()
                ? static_cast<int>(communicator.stages.size())
                : part_size(grid, part);
  return size;
}

Rank neighbour(const Grid& grid, Rank rank, Axis axis, int offset) {
  const int size = size_of(grid, axis);
  const int position = coordinate(grid, rank, axis);
  const int moved = ((position + offset) % size + size) % size;
  return Rank{rank.value + (moved - position) * stride_of(grid, axis)};
}

}  // namespace quintet
