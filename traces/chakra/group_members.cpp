#include "traces/chakra/group_members.h"

#include <algorithm>

namespace quintet::chakra {

namespace {

bool communicates_in_group(const Node& node) {
  return node.type == NodeType::collective && !node.on_cpu;
}

// Of the ranks there are files of, in the group's order.
std::vector<std::int32_t> there(const std::vector<std::int64_t>& wanted,
                                std::span<const RankNodes> ranks) {
  std::unordered_map<std::int64_t, std::int32_t> by_rank;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    by_rank.emplace(ranks[i].rank, static_cast<std::int32_t>(i));
  std::vector<std::int32_t> found;
  for (const std::int64_t rank : wanted)
    if (const auto at = by_rank.find(rank); at != by_rank.end())
      if (std::find(found.begin(), found.end(), at->second) == found.end())
        found.push_back(at->second);
  return found;
}

std::vector<std::int32_t> all_of(std::size_t count) {
  std::vector<std::int32_t> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = static_cast<std::int32_t>(i);
  return all;
}

}  // namespace

GroupsInUse::GroupsInUse(std::span<const RankNodes> ranks, const std::vector<NamedGroup>& named) {
  std::unordered_map<std::string, std::vector<std::int32_t>> users;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    for (const Node& node : ranks[i].nodes) {
      if (!communicates_in_group(node)) continue;
      if (by_name_.emplace(node.group, static_cast<std::int32_t>(groups_.size())).second)
        groups_.push_back(members(node.group, ranks, named));
      std::vector<std::int32_t>& of = users[node.group];
      if (of.empty() || of.back() != static_cast<std::int32_t>(i))
        of.push_back(static_cast<std::int32_t>(i));
    }
  for (auto& [name, of] : users) {
    GroupMembers& group = groups_[static_cast<std::size_t>(by_name_.at(name))];
    if (!group.guessed) continue;
    group.named = of.size();
    group.group.ranks = std::move(of);
  }
}

GroupMembers GroupsInUse::members(const std::string& name, std::span<const RankNodes> ranks,
                                  const std::vector<NamedGroup>& named) const {
  GroupMembers result;
  const auto last = std::find_if(named.rbegin(), named.rend(),
                                 [&](const NamedGroup& group) { return group.name == name; });
  const bool is_all = last == named.rend() ? name.empty() || name == "0" : last->ranks.empty();
  result.group.name = name.empty() ? "all ranks" : name;
  if (is_all) {
    result.group.ranks = all_of(ranks.size());
    result.named = ranks.size();
  } else if (last != named.rend()) {
    result.group.ranks = there(last->ranks, ranks);
    result.named = last->ranks.size();
  } else {
    result.guessed = true;
  }
  return result;
}

}  // namespace quintet::chakra
