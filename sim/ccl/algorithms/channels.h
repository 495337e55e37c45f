// The channels that rings and trees run over hosts, and what trees put on them.
//
// Ring and tree run a channel for each NIC that every host can give a member of its own, and split
// the bytes evenly over them. A channel's port is the member that owns its NIC. Trees
// enter and leave a host at the port. Rings pair their channels as NCCL does (crossnic 2): one
// enters a host at the first port and leaves at the second, on the next host the other way round,
// so that bytes keep to their rail; left over where channels or hosts are odd: a ring that leaves
// through the member before its port, or one change of rail between the last host and the first.
//
// Where a host has lost NICs (NCCL 2.28: they are not there when the communicator is made): the
// search on that host finds a channel for each NIC that is left, beginning and ending at the GPUs
// beside these (src/graph/search.cc, ncclTopoSearchRecNet); all hosts then take as many channels as
// the host with the fewest has (src/init.cc, initTransportsRank: the minimum over ranks), in each
// host's own order. A GPU without its NIC is in the middle of every channel and reaches the ports
// over NVLink. The bytes stay split evenly over the channels that there are: NCCL knows no slow NIC
// among them, so that one bounds the whole.
#pragma once

#include "sim/ccl/algorithms/edge_sum.h"

namespace quintet {

// How many channels cross hosts (one host needs no NIC: every member is as good a port), and the
// local index of a channel's port on a host.
int channel_count(const HostLayout& layout);
int port_of(const HostLayout& layout, std::size_t host, int channel, int channels);

// A layout with its channels counted once.
struct Channels {
  const HostLayout& layout;
  int count = 1;
  double share = 1.0;

  explicit Channels(const HostLayout& hosts);
  int port(std::size_t host, int channel) const;
  int rank(int host, int channel) const;
};

// Up from `below` to `above`, and the result back down.
void add_up_and_down(EdgeSum& sum, int below, int above, double share);
// The members of each host as chains that end at the ports.
void add_chains(EdgeSum& sum, const Channels& channels);
// Each channel's bytes over the hosts: half over either tree of the double binary tree.
void add_double_tree(EdgeSum& sum, const Channels& channels);

}  // namespace quintet
