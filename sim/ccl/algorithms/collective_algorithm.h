// A collective algorithm is one file of this folder, which ends in its row, and the row's place in
// table.cpp. Everything that differs between algorithms is asked of the row: which plans may name
// it, what ranks execute, what links carry, what it takes, what NCCL can be forced to.
//
// To add one: its name (Algorithm in sim/plan/ccl.h), its file here, its line in table.cpp. Ranks
// without GPUs then execute its schedule, the simulator prices the same transfers, plans may name
// it, calibration measures it; on GPUs it is listed as not obeyed unless it is NCCL's.
#pragma once

#include <initializer_list>
#include <vector>

#include "sim/base/result.h"
#include "sim/ccl/nccl/tuner_cell.h"
#include "sim/ccl/schedule.h"
#include "sim/ccl/traffic.h"

namespace quintet {

class Kinds {
 public:
  constexpr Kinds(std::initializer_list<CollectiveKind> kinds) {
    for (const CollectiveKind kind : kinds) bits_ |= bit(kind);
  }
  constexpr bool contains(CollectiveKind kind) const { return (bits_ & bit(kind)) != 0; }

 private:
  static constexpr unsigned bit(CollectiveKind kind) { return 1u << static_cast<unsigned>(kind); }
  unsigned bits_ = 0;
};

// What a schedule is made for.
struct ScheduledGroup {
  CollectiveKind kind = CollectiveKind::all_reduce;
  std::vector<int> levels;  // sizes inside out, product: the ranks
  std::vector<int> order;   // positions in the order of the levels; empty: 0, 1, 2, ...
  Bytes size{0};            // of the buffer
  Bytes segment{1};         // that travels at once

  int ranks() const;
  int inside() const { return levels.size() > 1 ? levels.front() : 1; }  // ranks of a host
};

struct CollectiveAlgorithm {
  // The messages of a chain that cross hosts: all ranks' hosts in turn, or one for each level of a
  // tree over them.
  enum class Crossing { in_turn, by_levels };
  // An edge of a phase is one message, or passes one on at every step.
  enum class Edges { one_message, one_each_step };

  Algorithm algorithm;
  Kinds kinds;                    // that plans may ask it for, and that have traffic
  HostsNeeded hosts = any_hosts;  // for its traffic
  bool through_nvswitch = false;
  bool through_network = false;  // whose switches must add (NetworkShape::reduces)
  bool on_servers = false;       // hosts without GPUs, which must be there
  Crossing crossing = Crossing::in_turn;
  Edges edges = Edges::one_message;

  // What ranks execute without switches that compute, and on which hosts.
  Kinds executed = {};
  HostsNeeded executed_on = any_hosts;
  Schedule (*schedule)(const ScheduledGroup& group) = nullptr;
  // Null: what the schedule moves, added up by edges (none for all-to-all, whose chunks are pairs).
  std::vector<TrafficPhase> (*traffic)(CollectiveKind kind, const HostLayout& layout) = nullptr;
  // Null: NCCL has no such algorithm; it is priced by the links it loads, and not obeyed on GPUs.
  const NcclCost* nccl = nullptr;
};

// The schedule by the ranks as they sit, host by host. A root stays where it is.
Schedule in_order(Schedule schedule, const ScheduledGroup& group);

// Every algorithm has one (table.cpp); it lives as long as the program.
const CollectiveAlgorithm& row_of(Algorithm algorithm);

// Empty when the algorithm does not do this kind, or not on this layout. nvls over several hosts
// and collnet reduce in the network. Broadcast and reduce: the root is position 0. NVLS counts what
// crosses NVLink, not the copies in and out of its registered buffers.
std::vector<TrafficPhase> traffic(CollectiveKind kind, Algorithm algorithm,
                                  const HostLayout& layout);
std::vector<TrafficPhase> traffic_of(const Schedule& schedule);

// An error where ranks alone do not execute the kind by it.
Result<Schedule> schedule_of(Algorithm algorithm, const ScheduledGroup& group);

}  // namespace quintet
