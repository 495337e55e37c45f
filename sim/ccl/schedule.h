// A collective as steps of transfers: what the engine executes step by step, what the `steps`
// fidelity simulates, and what the tests check by moving real numbers. Ranks are positions 0 .. n-1
// in the group.
#pragma once

#include <vector>

#include "sim/base/units.h"
#include "sim/plan/ccl.h"

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

// In which order the terms that reach one rank are added.
enum class SumOrder {
  of_schedule,  // as the steps come
  by_rank,      // 0 + 1 + 2 + ..., whatever the element, the size or the segments
};

struct Schedule {
  CollectiveKind kind = CollectiveKind::all_reduce;
  int ranks = 1;
  int chunks = 1;  // all_to_all: ranks * ranks, chunk = from * ranks + to
  int steps = 0;
  std::vector<Transfer> transfers;  // by step
  SumOrder order = SumOrder::of_schedule;
  bool operator==(const Schedule&) const = default;
};

// Who is where, for algorithms that care; level sizes from inside out, their product is the group
// size.
struct GroupLevels {
  std::vector<int> sizes;  // {8, 128}: 8 ranks a host, 128 hosts
};

// Where data is when a schedule starts and ends, chunk r meaning rank r's share: all_reduce starts
// and ends with all chunks everywhere, reduce_scatter ends with chunk r on rank r, all_gather
// starts with it. broadcast and reduce: the root is rank 0. all_to_all: rank r starts with chunks
// r * ranks + to and ends with from * ranks + r; what a rank keeps for itself does not move.

// A ring; broadcast and reduce are the chain it becomes when cut at the root, in n pipelined
// chunks. kind: all but all_to_all.
Schedule ring_schedule(CollectiveKind kind, int ranks);

// all_reduce; rank = host * ranks_per_host + local. Chains inside hosts end at local rank 0, which
// owns the NIC; each tree carries half of the buffer, pipelined in `pieces`.
Schedule double_tree_schedule(int hosts, int ranks_per_host, int pieces);

// all_reduce, reduce_scatter, all_gather. Any n: the ranks beyond the largest power of two fold
// onto the first ones before, and unfold after (doi 10.1177/1094342005051521).
Schedule halving_doubling_schedule(CollectiveKind kind, int ranks);

// all_reduce: rings level by level, reduce-scatter from inside out, all-gather back (BlueConnect,
// MLSys 2019).
Schedule hierarchical_schedule(const GroupLevels& levels);

// all_reduce, reduce_scatter, all_gather: everyone sends each rank its chunk, a peer a step;
// all_reduce: and then the sums back.
Schedule direct_schedule(CollectiveKind kind, int ranks);

// The same steps by other ranks: order[r] does what r did, for groups that do not name their ranks
// host by host. `order` has each of 0 .. n-1 once. Not for rooted kinds and all_to_all.
Schedule with_ranks_in(Schedule schedule, const std::vector<int>& order);

// Everyone to everyone in NCCL's peer order, a peer a step.
Schedule all_to_all_schedule(int ranks, int group);

// all_reduce through the host's switch, which appears as rank n: ranks read their reduced share
// (multimem.ld_reduce) and multicast it (multimem.st).
Schedule nvls_schedule(int ranks);

// The order in which NCCL visits peers (NCCL 2.28 src/init.cc, ncclP2pSchedule): group * g + d is
// the peer g groups further, d further inside the group, both cyclic. Groups come in the order of
// triangular numbers, the members of each in their own: at any step all have different receivers.
// Where `group` does not divide the ranks, groups of one.
std::vector<int> peer_deltas(int ranks, int group);

// A double binary tree over n nodes (NCCL's, src/graph/trees.cc): parent -1 is the root.
struct TreeNode {
  int parent = -1;
  std::vector<int> children;
  bool operator==(const TreeNode&) const = default;
};
struct DoubleTree {
  std::vector<TreeNode> first, second;
};
DoubleTree double_tree(int nodes);

// Closed forms: S bytes, n ranks, link rate B, latency a per message, in the alpha-beta model. They
// price the schedules above when every transfer of a step has a link of its own. kind: as the
// schedules.
Seconds ring_time(CollectiveKind kind, int ranks, Bytes size, Seconds latency, Bandwidth rate);
Seconds halving_doubling_time(CollectiveKind kind, int ranks, Bytes size, Seconds latency,
                              Bandwidth rate);
struct Level {
  int size = 1;
  Bandwidth rate;
  Seconds latency;
};
Seconds hierarchical_time(const std::vector<Level>& levels_inside_out, Bytes size);
// Of all bytes that hosts with GPUs and servers without add: what one of each does so that all
// NICs, one a host and all alike, are equally busy (BytePS, OSDI'20, section 4.1).
struct SummationShares {
  double on_host = 0.0, on_server = 0.0;
  bool operator==(const SummationShares&) const = default;
};
SummationShares byteps_shares(int hosts, int servers);

Seconds in_network_time(Bytes size, Bandwidth rate);
Seconds direct_all_to_all_time(int ranks, Bytes size, Seconds latency, Bandwidth rate);

// All-to-all of `pair` bytes between any two ranks over shortest paths, ties split evenly: the load
// of the busiest link over its rate. A ring of links in both directions; a torus of `dimensions`
// rings with an even number of ranks each.
Seconds all_to_all_on_ring_time(int ranks, Bytes pair, Bandwidth rate);
Seconds all_to_all_on_torus_time(int ring, int dimensions, Bytes pair, Bandwidth rate);

// The messages of a chunk that wait for one another. All-reduce: n - 1 while it is summed, n - 1
// while the sum goes round (NCCL 2.28 src/device/all_reduce.h, runRing).
int ring_steps(CollectiveKind kind, int ranks);

// bus bandwidth = algorithm bandwidth times this (nccl-tests PERFORMANCE.md).
double bus_factor(CollectiveKind kind, int ranks);

}  // namespace quintet
