#include "traces/trace/group_table.h"

#include <charconv>
#include <utility>

namespace quintet::pytorch {

std::vector<int> ranks_in_list(std::string_view list) {
  if (!list.starts_with('[') || !list.ends_with(']')) return {};
  std::vector<int> ranks;
  const char* at = list.data() + 1;
  const char* const end = list.data() + list.size() - 1;
  while (at != end) {
    if (*at == ' ' || *at == ',') {
      ++at;
      continue;
    }
    int rank = 0;
    const auto [stopped, wrong] = std::from_chars(at, end, rank);
    if (wrong != std::errc{} || rank < 0) return {};
    ranks.push_back(rank);
    at = stopped;
  }
  return ranks;
}

std::int32_t GroupTable::known(std::string_view name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end() || (*this)[found->second].ranks.empty()) return -1;
  return found->second;
}

std::int32_t GroupTable::tell(ProcessGroup group) {
  if (group.name.empty()) return -1;
  if (group.size <= 0) group.size = static_cast<int>(group.ranks.size());
  const auto next = static_cast<std::int32_t>(groups_.size());
  const auto [found, is_new] = by_name_.emplace(group.name, next);
  if (is_new) return groups_.push_back(std::move(group)), next;
  ProcessGroup& before = groups_[static_cast<std::size_t>(found->second)];
  const bool other_ranks =
      !group.ranks.empty() && !before.ranks.empty() && group.ranks != before.ranks;
  const bool other_size = group.size > 0 && before.size > 0 && group.size != before.size;
  if (other_ranks || other_size) {
    ++contradictions_;
    return found->second;
  }
  if (before.ranks.empty()) before.ranks = std::move(group.ranks);
  if (before.size <= 0) before.size = group.size;
  if (before.description.empty()) before.description = std::move(group.description);
  return found->second;
}

}  // namespace quintet::pytorch
