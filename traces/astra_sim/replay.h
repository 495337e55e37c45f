// A workload's times by ASTRA-sim's own rules (astra-sim @ 518bd513, network-analytical @
// 599a0473), to the nanosecond: for comparing with ASTRA-sim on its own terms. They are rules of a
// model, not of a machine; traces/replay times a workload by ours.
//
// The rules, all times in whole nanoseconds, fractions cut off:
//   - A rank runs one host task, one compute task and one collective or send at a time, receives
//     besides; of those whose predecessors have ended, the first in its list that may.
//   - Compute takes what the trace says, or 1 ns. By the roofline: operations at the lesser of the
//     peak and memory rate x operations per byte.
//   - A collective is cut into dataset_splits pieces, a piece into phases, a dimension each; per
//     dimension active_chunks pieces are in work, others wait; a rank never has two
//     collectives to choose from, so the policy decides nothing. Groups of not all
//     ranks run a ring over their ranks.
//   - A message leaves endpoint_nanoseconds after what it waits for, and is looked at as long after
//     it has come; what has to be added up takes three times its bytes at the memory's rate on top.
//   - Unaware of congestion, it takes hops x latency + bytes / bandwidth of the first dimension in
//     which its ends differ. Aware, each wire takes one message after the other, first come, first
//     served, bytes / bandwidth each, and each hop begins when the whole message has come.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/base/units.h"
#include "traces/astra_sim/astra_network.h"
#include "traces/astra_sim/astra_system.h"
#include "traces/workload/workload.h"

namespace quintet {

struct AstraRankTime {
  Instant finish;
  Duration
      exposed;  // ASTRA-sim's "exposed communication": the finish less all time of compute tasks
  bool operator==(const AstraRankTime&) const = default;
};

struct AstraTimes {
  std::vector<AstraRankTime> ranks;  // as Workload::ranks; of whole nanoseconds
  Instant end;                       // of the last
  std::int64_t messages = 0;
  std::uint64_t events = 0;  // of our simulation
  std::vector<std::string> remarks;
  bool operator==(const AstraTimes&) const = default;
};

// The workload's ranks are the network's, in their order. Refused with the reason: what ASTRA-sim
// itself refuses or would never end, and what is not simulated here (a shared bus, steps from
// files, double binary trees, memory outside the ranks). The time of a
// simulation grows with the messages, its memory with those in flight.
Result<AstraTimes> replay_by_astra_rules(const Workload& workload, const AstraNetwork& network,
                                         const AstraSystem& system, AstraBackend backend);

}  // namespace quintet
