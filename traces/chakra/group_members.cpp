#include "traces/chakra/group_members.h"

#include <utility>

namespace quintet::chakra {

namespace {

bool communicates_in_group(const Node& node) {
  return node.type == NodeType::collective && !node.on_cpu;
}

std::vector<std::int32_t> all_of(std::size_t count) {
  std::vector<std::int32_t> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = static_cast<std::int32_t>(i);
  return all;
}

}  // namespace

GroupsInUse::GroupsInUse(std::span<const RankNodes> ranks, const std::vector<NamedGroup>& named)
    : ranks_(ranks.size()) {
  for (std::size_t i = 0; i < ranks.size(); ++i)
    index_of_rank_.emplace(ranks[i].rank, static_cast<std::int32_t>(i));
  for (const NamedGroup& group : named) named_[group.name] = &group;
  std::vector<std::vector<std::int32_t>> users;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    for (const Node& node : ranks[i].nodes) {
      if (!communicates_in_group(node)) continue;
      const auto [at, is_new] =
          by_name_.emplace(node.group, static_cast<std::int32_t>(groups_.size()));
      if (is_new) groups_.push_back(members(node.group));
      users.resize(groups_.size());
      std::vector<std::int32_t>& of = users[static_cast<std::size_t>(at->second)];
      const auto rank = static_cast<std::int32_t>(i);
      if (of.empty() || of.back() != rank) of.push_back(rank);
    }
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    if (!groups_[i].guessed) continue;
    groups_[i].named = users[i].size();
    groups_[i].group.ranks = std::move(users[i]);
  }
}

GroupMembers GroupsInUse::members(const std::string& name) const {
  GroupMembers result;
  result.group.name = name.empty() ? "all ranks" : name;
  const auto found = named_.find(name);
  const bool is_named = found != named_.end();
  if (is_named ? found->second->ranks.empty() : name.empty() || name == "0") {
    result.group.ranks = all_of(ranks_);
    result.named = ranks_;
    return result;
  }
  result.guessed = !is_named;
  if (!is_named) return result;
  result.named = found->second->ranks.size();
  std::vector<bool> taken(ranks_);
  for (const std::int64_t rank : found->second->ranks) {
    const auto at = index_of_rank_.find(rank);
    if (at == index_of_rank_.end() || taken[static_cast<std::size_t>(at->second)]) continue;
    taken[static_cast<std::size_t>(at->second)] = true;
    result.group.ranks.push_back(at->second);
  }
  return result;
}

}  // namespace quintet::chakra
