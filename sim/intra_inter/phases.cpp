#include "sim/intra_inter/phases.h"

#include <algorithm>
#include <cassert>
#include <cstddef>

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

std::vector<CollectivePhase> each(CollectiveKind kind, std::vector<Stage> stages, Direction direction) {
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
  std::vector<CollectivePhase> found = each(CollectiveKind::reduce_scatter, inner, Direction::inside_out);
  found.push_back({CollectiveKind::all_reduce, stages.back().level, stages.back().share});
  const std::vector<CollectivePhase> back = each(CollectiveKind::all_gather, inner, Direction::outside_in);
  found.insert(found.end(), back.begin(), back.end());
  return found;
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

}  // namespace quintet
