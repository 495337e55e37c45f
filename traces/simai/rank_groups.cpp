#include "traces/simai/rank_groups.h"

#include <fmt/format.h>

namespace quintet::simai {

namespace {

int data_ranks(const StageShape& shape) {
  return shape.ranks / shape.tensor;
}

// Which of a kind's groups a rank is in.
int number_of(StageGroup group, int rank, const StageShape& shape) {
  const int tensor = rank % shape.tensor, data = rank / shape.tensor;
  switch (group) {
    case StageGroup::tensor:
      return data;
    case StageGroup::data:
      return tensor;
    case StageGroup::expert:
      return data / shape.expert * shape.tensor + tensor;
    case StageGroup::expert_data:
      return data % shape.expert * shape.tensor + tensor;
    case StageGroup::all:
      return 0;
  }
  return 0;
}

}  // namespace

int size_of(StageGroup group, const StageShape& shape) {
  switch (group) {
    case StageGroup::tensor:
      return shape.tensor;
    case StageGroup::data:
      return data_ranks(shape);
    case StageGroup::expert:
      return shape.expert;
    case StageGroup::expert_data:
      return data_ranks(shape) / shape.expert;
    case StageGroup::all:
      return shape.ranks;
  }
  return 1;
}

Axis axis_of(StageGroup group) {
  switch (group) {
    case StageGroup::tensor:
      return Axis::tensor;
    case StageGroup::expert:
      return Axis::expert;
    case StageGroup::data:
    case StageGroup::expert_data:
    case StageGroup::all:
      return Axis::data;
  }
  return Axis::data;
}

std::string name_of(StageGroup group) {
  switch (group) {
    case StageGroup::tensor:
      return "tensor";
    case StageGroup::data:
      return "data";
    case StageGroup::expert:
      return "expert";
    case StageGroup::expert_data:
      return "data of experts";
    case StageGroup::all:
      return "all";
  }
  return {};
}

StageGroups::StageGroups(const StageShape& shape, const std::array<bool, stage_groups>& used,
                         int here)
    : shape_(shape) {
  for (int kind = 0; kind < stage_groups; ++kind) {
    const auto group = static_cast<StageGroup>(kind);
    const int size = size_of(group, shape);
    if (!used[static_cast<std::size_t>(kind)] || size < 2) continue;
    std::vector<std::int32_t>& places = places_[static_cast<std::size_t>(kind)];
    places.assign(static_cast<std::size_t>(shape.ranks / size), -1);
    for (int rank = 0; rank < here; ++rank) {
      const int number = number_of(group, rank, shape);
      std::int32_t& place = places[static_cast<std::size_t>(number)];
      if (place < 0) {
        place = static_cast<std::int32_t>(groups_.size());
        groups_.emplace_back().name = places.size() == 1
                                          ? simai::name_of(group)
                                          : fmt::format("{} {}", simai::name_of(group), number);
      }
      groups_[static_cast<std::size_t>(place)].ranks.push_back(rank);
    }
    for (int rank = 0; rank < shape.ranks; ++rank)
      if (const std::int32_t place = of(group, rank); place >= 0)
        groups_[static_cast<std::size_t>(place)].members.push_back(rank);
  }
}

std::int32_t StageGroups::of(StageGroup group, int rank) const {
  const std::vector<std::int32_t>& places = places_[static_cast<std::size_t>(group)];
  return places.empty() ? -1 : places[static_cast<std::size_t>(number_of(group, rank, shape_))];
}

}  // namespace quintet::simai
