// Process groups as events and the header tell of them, each in part.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "traces/trace/rank_trace.h"

namespace quintet::pytorch {

// Of "[0, 1]". Empty: it is no list, or one that the profiler cut short.
std::vector<int> ranks_in_list(std::string_view list);

class GroupTable {
 public:
  // Adds what is not yet known of the group with this name. -1: it has none.
  std::int32_t tell(ProcessGroup group);
  // Of a name that was told before with a list of ranks, which is then not read again; -1: of none.
  std::int32_t known(std::string_view name) const;
  const ProcessGroup& operator[](std::int32_t index) const {
    return groups_[static_cast<std::size_t>(index)];
  }
  // How often a group was told otherwise than before, where it keeps what it was.
  std::int64_t contradictions() const { return contradictions_; }
  std::vector<ProcessGroup> take() && { return std::move(groups_); }

 private:
  std::vector<ProcessGroup> groups_;
  std::map<std::string, std::int32_t, std::less<>> by_name_;
  std::int64_t contradictions_ = 0;
};

}  // namespace quintet::pytorch
