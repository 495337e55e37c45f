// Who takes part in the groups that nodes name.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "traces/chakra/chakra_node.h"

namespace quintet::chakra {

struct GroupMembers {
  WorkloadGroup group;    // those there are files of
  std::size_t named = 0;  // how many the group has, with those that there is no file of
  bool guessed = false;   // nothing says who is in it: those that use it
};

class GroupsInUse {
 public:
  // Of the collectives of all ranks, in order of first use. What `named` says twice counts as last
  // said. Ranks are in the workload's order. `named` outlives it.
  GroupsInUse(std::span<const RankNodes> ranks, const std::vector<NamedGroup>& named);

  std::int32_t index(const std::string& name) const { return by_name_.at(name); }
  const GroupMembers& operator[](std::int32_t index) const {
    return groups_[static_cast<std::size_t>(index)];
  }
  std::size_t size() const { return groups_.size(); }

 private:
  GroupMembers members(const std::string& name) const;

  std::size_t ranks_;
  std::unordered_map<std::int64_t, std::int32_t> index_of_rank_;
  std::unordered_map<std::string, const NamedGroup*> named_;
  std::unordered_map<std::string, std::int32_t> by_name_;
  std::vector<GroupMembers> groups_;
};

}  // namespace quintet::chakra
