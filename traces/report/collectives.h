// A step's collectives by group and kind: how much, how fast, and whom they waited for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/ids.h"
#include "sim/base/units.h"
#include "traces/report/exchanges.h"
#include "traces/report/latency_fit.h"

namespace quintet {

// Who came last, so that the others waited.
struct LastMember {
  std::int32_t rank = 0;  // index into Workload::ranks
  std::int64_t times = 0;
  Duration after_next;  // sum over these: after the one before it had come
  Duration waited;      // sum over these: how long the others waited, their mean
  bool operator==(const LastMember&) const = default;
};

struct GroupCollectives {
  std::int32_t group = 0;  // index into Workload::groups
  CollectiveKind kind = CollectiveKind::all_reduce;
  int members = 0;
  std::int64_t count = 0;
  Bytes bytes;       // nccl-tests' sizes (sim/program/program.h), summed
  Duration moving;   // Exchange::time, summed
  Duration waiting;  // from a member's coming to that of the last, mean over members, summed
  // nccl-tests' bus bandwidth of all of them together: bytes x bus_factor() / moving; 0: unknown.
  Bandwidth bus_bandwidth;
  std::optional<LatencyFit> fit;  // none: it cannot be told
  std::vector<LastMember> last;   // those most waited for first
  std::vector<std::int32_t> of;   // indices into the exchanges
  bool operator==(const GroupCollectives&) const = default;
};

// Those whose data moved longest first. The fit of a group that has one size only is made with the
// bandwidth of the fastest exchange among as many members: what it takes beyond that is latency.
std::vector<GroupCollectives> group_collectives(const Timeline& timeline, const Workload& workload,
                                                const std::vector<Exchange>& exchanges);

// Over all collectives, per rank (by index); those never waited for are left out, those most waited
// for come first.
std::vector<LastMember> last_members(const std::vector<GroupCollectives>& groups);

}  // namespace quintet
