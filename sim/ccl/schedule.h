// A collective as steps of transfers: what the engine executes step by step, what the `steps`
// fidelity simulates, and what the tests check by moving real numbers. Ranks are positions 0 .. n-1
// in the group.
#pragma once

#include <vector>

#include "sim/plan/ccl.h"
#include "sim/result.h"
#include "sim/units.h"

namespace quintet {

enum class Effect { copy, reduce };  // the receiver overwrites, or adds

// Moves chunk `chunk` of the buffer from one rank to another. A step's transfers run side by side;
// a rank takes part in step s+1 once its own transfers of step s are over.
struct Transfer {
  int step = 0;
  int from = 0, to = 0;
  int chunk = 0;  // chunks are equal parts of the buffer; see Schedule::chunks
  Effect effect = Effect::copy;
  bool operator==(const Transfer&) const = default;
};

struct Schedule {
  CollectiveKind kind = CollectiveKind::all_reduce;
  int ranks = 1;
  int chunks = 1;  // all_to_all: ranks * ranks, chunk = from * ranks + to
  int steps = 0;
  std::vector<Transfer> transfers;  // by step
  bool operator==(const Schedule&) const = default;
};

// Who is where, for algorithms that care; level sizes from inside out, their product is the group
// size.
struct GroupLevels {
  std::vector<int> sizes;  // {8, 128}: 8 ranks a host, 128 hosts
};

Schedule ring_schedule(CollectiveKind kind,
                       int ranks);  // all_reduce, reduce_scatter, all_gather, broadcast, reduce
Schedule double_tree_schedule(int hosts, int ranks_per_host,
                              int pieces);  // all_reduce; each half pipelined in `pieces`
Schedule halving_doubling_schedule(
    CollectiveKind kind, int ranks);  // all_reduce, reduce_scatter, all_gather; any n (fold)
Schedule hierarchical_schedule(const GroupLevels& levels);  // all_reduce: RS inwards out, AG back
Schedule all_to_all_schedule(int ranks, int group);         // NCCL's peer order, models.md 1.5
Schedule nvls_schedule(int ranks);  // the switch reduces: rank n stands for it

// The order in which NCCL visits peers; groups of `group` ranks (models.md 1.5, oracle C-11).
std::vector<int> peer_deltas(int ranks, int group);

// A double binary tree over n nodes (NCCL's, oracle C-10): parent -1 is the root.
struct TreeNode {
  int parent = -1;
  std::vector<int> children;
  bool operator==(const TreeNode&) const = default;
};
struct DoubleTree {
  std::vector<TreeNode> first, second;
};
DoubleTree double_tree(int nodes);

// Closed forms: S bytes, n ranks, link rate B, latency a per message (models.md 1.6).
Seconds ring_time(CollectiveKind kind, int ranks, Bytes size, Seconds latency, Bandwidth rate);
Seconds halving_doubling_time(CollectiveKind kind, int ranks, Bytes size, Seconds latency,
                              Bandwidth rate);
struct Level {
  int size = 1;
  Bandwidth rate;
  Seconds latency;
};
Seconds hierarchical_time(const std::vector<Level>& levels_inside_out, Bytes size);
Seconds in_network_time(Bytes size, Bandwidth rate);

// bus bandwidth = algorithm bandwidth times this (nccl-tests PERFORMANCE.md).
double bus_factor(CollectiveKind kind, int ranks);

}  // namespace quintet
