// What one collective puts on the links, for the coupled (fluid) simulation: the directed edges
// between group members and the bytes that cross each of them per byte of the collective's size
// (nccl-tests' size convention, as Collective::size). All edges of a phase carry their bytes side
// by side; phases follow one another. Exact: tests compare every rank's bytes with the closed form.
//
// Paths: ring and tree as NCCL lays its channels over hosts (src/graph/connect.cc), NVLS by what
// multimem.ld_reduce and multimem.st move (PTX ISA 8.1, "multimem"), PAT arXiv 2506.20252,
// halving-doubling Thakur et al. 2005 (doi 10.1177/1094342005051521), hierarchical BlueConnect
// (MLSys 2019).
#pragma once

#include <cstddef>
#include <vector>

#include "sim/plan/ccl.h"
#include "sim/topology/host_layout.h"

namespace quintet {

// Ends of an edge that are no group member.
inline constexpr int host_switch = -1;      // the NVSwitches of the other end's host (NVLS)
inline constexpr int network_reducer = -2;  // the in-network reduction tree (SHARP)
inline constexpr int first_server = -3;     // HostLayout::servers, downwards
constexpr int server_end(std::size_t server) {
  return first_server - static_cast<int>(server);
}

// One direction between two group members, or a member and a switch. An edge between members on
// different hosts names the ranks whose buffers the bytes leave and enter; which NICs carry it is
// the decision of intra_inter (rails.h).
struct TrafficEdge {
  int from = 0, to = 0;  // positions in the group
  double bytes_per_byte = 0.0;
  bool operator==(const TrafficEdge&) const = default;
};

struct TrafficPhase {
  CollectiveKind kind = CollectiveKind::all_reduce;  // what this phase does in its subgroups
  std::vector<TrafficEdge> edges;                    // sorted by (from, to), each pair once
  // What the busiest rank asks of memory bandwidth: bytes it receives and adds to its own, and
  // bytes it receives and keeps.
  double reduced_bytes_per_byte = 0.0;
  double copied_bytes_per_byte = 0.0;
  int steps = 0;  // messages that wait for one another along the longest chain
  bool operator==(const TrafficPhase&) const = default;
};

// All members of the group.
int rank_count(const HostLayout& layout);
int ranks_per_host(const HostLayout& layout);  // of a uniform layout; else 0

// How a group must sit for what asks for it: uniform, for instance.
using HostsNeeded = bool (*)(const HostLayout& layout);
bool any_hosts(const HostLayout& layout);

}  // namespace quintet
