// NCCL numbers ranks inside each communicator and nobody tells it their numbers in the job. What a
// process says of itself ("I am rank 2 of 8 of communicator 0x7f8c") is kept in the description of
// its ProcessGroup; when all traces of a job are read, they agree on who is who.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/trace/rank_trace.h"

namespace quintet {

struct GroupMember {
  int rank = 0;
  int size = 0;  // 0: not known
  bool operator==(const GroupMember&) const = default;
};

// "rank 2 of 8", or "rank 2", behind the communicator's name where it has one: "DP Group 0, rank 2
// of 8".
std::string member_text(std::string_view name, GroupMember member);
std::optional<GroupMember> member_of(const ProcessGroup& group);

// "peer 3 of its group", as RecordedCommunication::detail has it.
std::string peer_text(std::int64_t peer);

// Where one communicator has all the traces as its members, its ranks are the job's: traces of
// unknown rank get theirs. Then groups all of whose members are there get their ranks, and messages
// in them their peers; a group of unknown size that has them all is as large as they are many. What
// does not fit is left as it was. Traces whose ranks are known keep them.
void agree_on_ranks(std::vector<RankTrace>& traces);

}  // namespace quintet
