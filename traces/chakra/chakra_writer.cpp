#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "traces/chakra/chakra.h"
#include "traces/chakra/own_nodes.h"

namespace quintet {

namespace {

namespace fs = std::filesystem;

std::vector<int> members_of(const Workload& workload, const WorkloadGroup& group) {
  if (!group.members.empty()) return group.members;
  std::vector<int> members;
  for (const std::int32_t rank : group.ranks)
    members.push_back(workload.ranks[static_cast<std::size_t>(rank)].rank.value);
  return members;
}

// ASTRA-sim's form: ranks of the job by the group's number, which counts from 1.
std::string groups_json(const Workload& workload) {
  std::string text = "{";
  for (std::size_t i = 0; i < workload.groups.size(); ++i)
    text += fmt::format("{}\n  \"{}\": [{}]", i == 0 ? "" : ",", i + 1,
                        fmt::join(members_of(workload, workload.groups[i]), ", "));
  return text + "\n}\n";
}

bool in(std::int64_t index, std::size_t size) {
  return index >= 0 && index < static_cast<std::int64_t>(size);
}

// What a task refers to that is not there, or what no node of Chakra's can say.
std::optional<std::string> fault_of(const Workload& workload, const WorkloadRank& rank,
                                    const WorkloadTask& task) {
  if (!in(task.info, workload.infos.size())) return "has no info";
  const SpanInfo& info = workload.infos[static_cast<std::size_t>(task.info)];
  if (!in(info.lane, workload.lanes.size())) return "lies on no lane";
  if (task.peers < 0) return {};
  if (!in(task.peers, rank.peers.size()) || !in(task.peers, rank.tasks.size()))
    return "has peers that are not there";
  const TaskPeers& peers = rank.peers[static_cast<std::size_t>(task.peers)];
  if (!is_communication(info.kind)) return "communicates, and is of a kind that does not";
  if (info.kind == SpanKind::collective && !in(peers.group, workload.groups.size()))
    return "is of no group";
  if (info.kind != SpanKind::collective && !in(peers.peer, workload.ranks.size()))
    return "is with no rank";
  return {};
}

std::optional<Error> fault_of(const Workload& workload, const WorkloadRank& rank) {
  const std::string where = fmt::format("rank {}", rank.rank.value);
  if (!rank.rank.valid()) return Error{where, "has no number; expected 0 or more"};
  if (rank.after_begin.size() != rank.tasks.size() + 1)
    return Error{where, "does not say what each task is after"};
  for (std::size_t i = 0; i < rank.tasks.size(); ++i) {
    if (const auto wrong = fault_of(workload, rank, rank.tasks[i]))
      return Error{fmt::format("{}, task {}", where, i), *wrong};
    for (auto k = rank.after_begin[i]; k < rank.after_begin[i + 1]; ++k)
      if (!in(k, rank.after.size()) || !in(rank.after[static_cast<std::size_t>(k)], i))
        return Error{fmt::format("{}, task {}", where, i),
                     "is after one that does not come before"};
  }
  return {};
}

std::optional<Error> fault_of(const Workload& workload) {
  std::set<std::int32_t> seen;
  for (const WorkloadGroup& group : workload.groups)
    for (const std::int32_t rank : group.ranks)
      if (!in(rank, workload.ranks.size()))
        return Error{fmt::format("group \"{}\"", group.name), "has a rank that is not there"};
  for (const WorkloadRank& rank : workload.ranks) {
    if (!seen.insert(rank.rank.value).second)
      return Error{fmt::format("rank {}", rank.rank.value), "is there twice; expected it once"};
    if (auto wrong = fault_of(workload, rank)) return *wrong;
  }
  if (workload.ranks.empty()) return Error{"workload", "has no ranks; expected one or more"};
  return {};
}

template <class Write>
std::optional<Error> write(const fs::path& file, const Write& write) {
  errno = 0;
  std::ofstream out(file, std::ios::binary);
  if (out) write(out);
  out.close();
  if (out) return {};
  return Error{file.string(), fmt::format("cannot be written: {}",
                                          errno != 0 ? std::strerror(errno) : "the stream failed")};
}

}  // namespace

Result<std::vector<fs::path>> write_chakra(const fs::path& prefix, const Workload& workload) {
  if (auto wrong = fault_of(workload)) return *wrong;
  std::vector<fs::path> files;
  const auto next = [&](const std::string& end) {
    fs::path file = prefix;
    return files.emplace_back(file += end);
  };
  for (std::size_t i = 0; i < workload.ranks.size(); ++i) {
    const fs::path file = next(fmt::format(".{}.et", workload.ranks[i].rank.value));
    if (auto wrong = write(file, [&](std::ostream& out) { chakra::write_rank(out, workload, i); }))
      return *wrong;
  }
  const fs::path groups = next(".groups.json");
  if (auto wrong = write(groups, [&](std::ostream& out) { out << groups_json(workload); }))
    return *wrong;
  return files;
}

}  // namespace quintet
