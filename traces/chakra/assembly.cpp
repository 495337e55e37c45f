#include "traces/chakra/assembly.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "traces/chakra/own_tasks.h"
#include "traces/chakra/rank_tasks.h"

namespace quintet::chakra {

namespace {

std::optional<Error> number(std::vector<RankNodes>& ranks) {
  const bool all_told =
      std::all_of(ranks.begin(), ranks.end(), [](const RankNodes& of) { return of.rank >= 0; });
  for (std::size_t i = 0; i < ranks.size() && !all_told; ++i) ranks[i].rank = static_cast<int>(i);
  std::stable_sort(ranks.begin(), ranks.end(), [](const RankNodes& one, const RankNodes& other) {
    return one.rank < other.rank;
  });
  for (std::size_t i = 1; i < ranks.size(); ++i)
    if (ranks[i].rank == ranks[i - 1].rank)
      return Error{ranks[i].where, fmt::format("is of rank {}, as is {}; give one file per rank",
                                               ranks[i].rank, ranks[i - 1].where)};
  return {};
}

void remark(Workload& workload, std::int64_t count, std::string_view text) {
  if (count > 0) workload.remarks.push_back({fmt::format("{} {}", count, text)});
}

void tell(Workload& workload, const Peculiarities& seen) {
  remark(workload, seen.calls_on_cpu,
         "collectives on the CPU (is_cpu_op) are its asking for them, and count as host work");
  remark(workload, seen.other_kinds,
         "gathers, scatters and barriers count as reduces, broadcasts and all-reduces");
  remark(workload, seen.unknown_kinds,
         "collectives have no comm_type of Chakra's, and count as all-reduces");
  remark(workload, seen.some_dimensions,
         "collectives leave out dimensions of ASTRA-sim's network (involved_dim), which are not "
         "known here: they are over all of their group");
  remark(workload, seen.invalid, "nodes of type INVALID take no time, as in ASTRA-sim");
  remark(workload, seen.unknown_types, "of them have a type that Chakra's schema does not have");
  remark(workload, seen.control_left_out,
         "ctrl_deps order nothing: in a file some name nodes that it does not have, as the "
         "converter writes parents");
}

void tell(Workload& workload, const GroupsInUse& groups) {
  constexpr std::size_t told = 8;
  std::size_t count = 0;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(groups.size()); ++i) {
    const GroupMembers& of = groups[i];
    if (!of.guessed && of.named == of.group.ranks.size()) continue;
    if (++count > told) continue;
    if (of.guessed)
      workload.remarks.push_back(
          {fmt::format("nothing says who is in group \"{}\": the {} ranks "
                       "that use it; give the file of process groups",
                       of.group.name, of.named)});
    else
      workload.remarks.push_back({fmt::format("group \"{}\" has {} ranks; there are files of {}",
                                              of.group.name, of.named, of.group.ranks.size())});
  }
  if (count > told) remark(workload, static_cast<std::int64_t>(count - told), "groups more so");
}

Result<Workload> foreign_workload(const std::vector<RankNodes>& ranks,
                                  const std::vector<NamedGroup>& named) {
  Workload workload;
  workload.lanes_in_order = false;
  workload.name = ranks.front().workload_name;
  std::unordered_map<std::int64_t, std::int32_t> index;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    index.emplace(ranks[i].rank, static_cast<std::int32_t>(i));
  const GroupsInUse groups(ranks, named);
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(groups.size()); ++i)
    workload.groups.push_back(groups[i].group);
  WorkloadTables tables;
  RankTasks tasks(tables, groups, index);
  std::vector<Meeting> meetings;
  for (const RankNodes& nodes : ranks) {
    Result<WorkloadRank> rank = tasks.of(nodes, meetings);
    if (!rank) return rank.error();
    workload.ranks.push_back(std::move(*rank));
  }
  tell(workload, tasks.peculiarities());
  tell(workload, groups);
  match(workload, tables, meetings);
  workload.lanes = tables.lanes();
  workload.infos = tables.infos();
  complete_groups(workload);
  return workload;
}

}  // namespace

Result<Workload> workload_of(std::vector<RankNodes> ranks, const std::vector<NamedGroup>& groups) {
  if (ranks.empty()) return Error{"Chakra", "no file of a rank; expected <prefix>.<rank>.et"};
  if (auto wrong = number(ranks)) return *wrong;
  const bool is_own = std::any_of(ranks.begin(), ranks.end(),
                                  [](const RankNodes& of) { return of.tables.has_value(); });
  // The one without tables is another's.
  if (is_own && !ranks.front().tables)
    return Error{ranks.front().where,
                 "was not written with the other files; give those of one job"};
  if (is_own) return own_workload(ranks);
  // What a file of groups says comes before what PyTorch told.
  std::vector<NamedGroup> named = ranks.front().groups;
  for (std::size_t i = 1; i < ranks.size(); ++i)
    named.insert(named.end(), ranks[i].groups.begin(), ranks[i].groups.end());
  named.insert(named.end(), groups.begin(), groups.end());
  return foreign_workload(ranks, named);
}

}  // namespace quintet::chakra
