// Program -> Program: collectives of the axes that the plan wants hierarchical become phases inside
// and across hosts, each a collective of its own on its own communicator (design: the engine runs
// them as such).
#pragma once

#include <vector>

#include "sim/plan/ccl.h"
#include "sim/plan/intra_inter.h"
#include "sim/program/program.h"

namespace quintet {

// A collective over a hierarchy comes as phases, each a collective of the ranks that differ on one
// level only: reduce-scatter inwards out, all-reduce across, all-gather back (BlueConnect, MLSys
// 2019; Thakur et al. 2005). Any number of levels: GPUs of a host, hosts of a pod, pods. `share`:
// the phase's size over the collective's, both in nccl-tests' convention (a rank's full buffer:
// gathered size, input of a scatter).
struct CollectivePhase {
  CollectiveKind kind = CollectiveKind::all_reduce;
  int level = 0;  // 0 is innermost
  double share = 1.0;
  bool operator==(const CollectivePhase&) const = default;
};

// Sizes inside out. Levels of one rank have no phase; a group of one rank has none at all.
//
// Which rank ends with which part: with coordinates (c0, c1, ...), innermost first, a
// reduce-scatter leaves with it part c0 of the buffer, of that part c1, and so on; an all-gather
// expects the same. A broadcast leaves the root for the heads of the outermost level first; in each
// of its phases only the groups with a rank that already has the data take part (reduce: the way
// back). An all-to-all exchanges inside first, so that what leaves a host leaves on its
// destination's rail.
std::vector<CollectivePhase> phases(CollectiveKind kind, const std::vector<int>& level_sizes);

// The subgroups of one level: positions in the group, position = c0 + s0 (c1 + s1 (c2 + ...)).
std::vector<std::vector<int>> subgroups(const std::vector<int>& level_sizes, int level);

// ranks_per_host: ranks 0 .. ranks_per_host - 1 share a host, and so on. Groups that lie inside one
// host, have one rank a host, or do not fill hosts evenly stay as they are.
Program decompose(Program program, const IntraInter& intra_inter, int ranks_per_host);

}  // namespace quintet
