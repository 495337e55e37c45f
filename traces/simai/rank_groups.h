// Which ranks of one pipeline stage form which groups: tensor innermost, then experts, then data.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "traces/workload/workload.h"

namespace quintet::simai {

enum class StageGroup : std::uint8_t { tensor, data, expert, expert_data, all };
inline constexpr int stage_groups = 5;

struct StageShape {
  int ranks = 1;
  int tensor = 1;
  int expert = 1;  // of the data ranks
};

int size_of(StageGroup group, const StageShape& shape);
Axis axis_of(StageGroup group);
std::string name_of(StageGroup group);

// Groups of more than one rank only, of the kinds that are used and with ranks that are here: the
// first so many of the stage. Of these groups all members are told.
class StageGroups {
 public:
  StageGroups(const StageShape& shape, const std::array<bool, stage_groups>& used, int here);

  const std::vector<WorkloadGroup>& all() const { return groups_; }
  // Which of all() a rank that is here is in; -1: none.
  std::int32_t of(StageGroup group, int rank) const;

 private:
  StageShape shape_;
  std::array<std::vector<std::int32_t>, stage_groups> places_;  // by number within the kind
  std::vector<WorkloadGroup> groups_;
};

}  // namespace quintet::simai
