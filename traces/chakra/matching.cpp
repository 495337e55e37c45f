#include "traces/chakra/matching.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace quintet::chakra {

namespace {

using Indices = std::vector<std::size_t>;  // of meetings

// Per group, where in it a rank is.
std::vector<std::unordered_map<std::int32_t, std::size_t>> places_in(
    const std::vector<WorkloadGroup>& groups) {
  std::vector<std::unordered_map<std::int32_t, std::size_t>> places(groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i)
    for (std::size_t k = 0; k < groups[i].ranks.size(); ++k)
      places[i].emplace(groups[i].ranks[k], k);
  return places;
}

class Matching {
 public:
  Matching(Workload& workload, WorkloadTables& tables, std::vector<Meeting>& meetings)
      : workload_(workload), tables_(tables), meetings_(meetings), sequence_(meetings.size(), -1) {}

  void run() {
    match_collectives();
    match_messages();
    settle();
    tell();
  }

 private:
  void match_collectives();
  void match_members(std::int32_t group, CollectiveKind kind, const std::vector<Indices>& members);
  void match_messages();
  void meet(std::span<const std::size_t> together);
  void settle();
  void leave_out(const Meeting& meeting);
  void count_without_partner(const Meeting& meeting);
  void tell();

  WorkloadTask& task(const Meeting& meeting) {
    return workload_.ranks[static_cast<std::size_t>(meeting.rank)]
        .tasks[static_cast<std::size_t>(meeting.task)];
  }

  Workload& workload_;
  WorkloadTables& tables_;
  std::vector<Meeting>& meetings_;
  std::vector<std::int64_t> sequence_;                       // per meeting; -1: no partner
  std::map<std::int32_t, std::vector<std::size_t>> firsts_;  // per group, of who meets the first's
  std::map<std::string, std::int64_t> left_out_;             // why -> how many
};

// All take what the quickest took: the others' times have waiting in them.
void Matching::meet(std::span<const std::size_t> together) {
  Duration least{-1};
  for (const std::size_t index : together) {
    const Duration work = task(meetings_[index]).work;
    if (work > Duration{} && (least < Duration{} || work < least)) least = work;
  }
  for (const std::size_t index : together) task(meetings_[index]).work = least;
}

void Matching::match_members(std::int32_t group, CollectiveKind kind,
                             const std::vector<Indices>& members) {
  const auto fewer = [](const Indices& one, const Indices& other) {
    return one.size() < other.size();
  };
  const auto [least, most] = std::minmax_element(members.begin(), members.end(), fewer);
  Indices together(members.size());
  for (std::size_t k = 0; k < least->size(); ++k) {
    for (std::size_t i = 0; i < members.size(); ++i) together[i] = members[i][k];
    meet(together);
    firsts_[group].push_back(together.front());
    for (const std::size_t index : together)
      sequence_[index] = static_cast<std::int64_t>(together.front());
  }
  if (least->size() == most->size()) return;
  const WorkloadGroup& named = workload_.groups[static_cast<std::size_t>(group)];
  const auto rank_at = [&](const auto& at) {
    const auto index = static_cast<std::size_t>(at - members.begin());
    return workload_.ranks[static_cast<std::size_t>(named.ranks[index])].rank.value;
  };
  std::int64_t count = 0;
  for (const Indices& of : members) count += static_cast<std::int64_t>(of.size() - least->size());
  left_out_[fmt::format(
      "of kind {} of group \"{}\" have no partner (rank {} issues {}, rank {} "
      "issues {})",
      name_of(kind), named.name, rank_at(least), least->size(), rank_at(most), most->size())] +=
      count;
}

void Matching::match_collectives() {
  std::map<std::pair<std::int32_t, CollectiveKind>, std::vector<Indices>> lists;
  const auto places = places_in(workload_.groups);
  for (std::size_t i = 0; i < meetings_.size(); ++i) {
    const Meeting& meeting = meetings_[i];
    if (meeting.kind != SpanKind::collective) continue;
    const WorkloadGroup& group = workload_.groups[static_cast<std::size_t>(meeting.group)];
    const auto at = places[static_cast<std::size_t>(meeting.group)].find(meeting.rank);
    if (at == places[static_cast<std::size_t>(meeting.group)].end()) {
      ++left_out_[fmt::format("are in group \"{}\" by a rank that does not belong to it",
                              group.name)];
      continue;
    }
    std::vector<Indices>& members = lists[{meeting.group, meeting.collective}];
    members.resize(group.ranks.size());
    members[at->second].push_back(i);
  }
  for (const auto& [key, members] : lists) match_members(key.first, key.second, members);
  // Of a group they count in the order in which its first rank issues them.
  std::vector<std::int64_t> place(meetings_.size(), -1);
  for (auto& [group, firsts] : firsts_) {
    std::sort(firsts.begin(), firsts.end());
    for (std::size_t k = 0; k < firsts.size(); ++k) place[firsts[k]] = static_cast<std::int64_t>(k);
  }
  for (std::int64_t& sequence : sequence_)
    if (sequence >= 0) sequence = place[static_cast<std::size_t>(sequence)];
}

void Matching::match_messages() {
  struct Way {
    Indices sends, receives;
  };
  std::map<std::tuple<std::int32_t, std::int32_t, std::int64_t>, Way> ways;
  for (std::size_t i = 0; i < meetings_.size(); ++i) {
    const Meeting& meeting = meetings_[i];
    if (meeting.kind == SpanKind::collective || meeting.peer < 0) continue;
    if (meeting.kind == SpanKind::send)
      ways[{meeting.rank, meeting.peer, meeting.tag}].sends.push_back(i);
    else
      ways[{meeting.peer, meeting.rank, meeting.tag}].receives.push_back(i);
  }
  for (const auto& [key, way] : ways)
    for (std::size_t k = 0; k < std::min(way.sends.size(), way.receives.size()); ++k) {
      meet(std::array{way.sends[k], way.receives[k]});
      sequence_[way.sends[k]] = sequence_[way.receives[k]] = static_cast<std::int64_t>(k);
    }
}

void Matching::leave_out(const Meeting& meeting) {
  WorkloadTask& left = task(meeting);
  SpanInfo info = tables_.infos()[static_cast<std::size_t>(left.info)];
  info.detail = fmt::format("{} without partner", name_of(info.kind));
  info.kind = SpanKind::host;
  info.size = {};
  info.lane = tables_.lane(LaneKind::host, "without partner");
  left.info = tables_.info(info);
  left.work = std::max(left.work, Duration{});
}

void Matching::count_without_partner(const Meeting& meeting) {
  const std::string_view what = name_of(meeting.kind);
  if (meeting.kind == SpanKind::collective) return;  // counted where they were not matched
  if (meeting.peer_rank < 0)
    ++left_out_[fmt::format("of kind {} name no peer, as Chakra's converter writes them", what)];
  else if (meeting.peer < 0)
    ++left_out_[fmt::format("of kind {} are with ranks that there is no file of", what)];
  else
    ++left_out_[fmt::format("of kind {} have no partner at their peer", what)];
}

void Matching::settle() {
  for (std::size_t i = 0; i < meetings_.size(); ++i) {
    const Meeting& meeting = meetings_[i];
    if (sequence_[i] < 0) {
      count_without_partner(meeting);
      leave_out(meeting);
      continue;
    }
    WorkloadRank& rank = workload_.ranks[static_cast<std::size_t>(meeting.rank)];
    task(meeting).peers = static_cast<std::int32_t>(rank.peers.size());
    TaskPeers peers{meeting.collective, DataType::fp32, meeting.group, sequence_[i]};
    peers.peer = meeting.peer;
    peers.tag = meeting.tag;
    rank.peers.push_back(peers);
  }
}

void Matching::tell() {
  constexpr std::size_t told = 16;
  std::int64_t others = 0;
  for (const auto& [why, count] : left_out_)
    if (workload_.remarks.size() < told)
      workload_.remarks.push_back({fmt::format(
          "{} tasks {}: they take what was recorded and wait for nobody", count, why)});
    else
      others += count;
  if (others > 0)
    workload_.remarks.push_back(
        {fmt::format("{} tasks of further groups have no partner", others)});
}

}  // namespace

void match(Workload& workload, WorkloadTables& tables, std::vector<Meeting>& meetings) {
  Matching(workload, tables, meetings).run();
}

}  // namespace quintet::chakra
