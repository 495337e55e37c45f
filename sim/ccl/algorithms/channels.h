// The channels that rings and trees run over hosts (see HostLayout), and what trees put on them.
#pragma once

#include "sim/ccl/algorithms/edge_sum.h"

namespace quintet {

// How many channels cross hosts (one host needs no NIC: every member is as good a port), and the
// local index of a channel's port on a host of `members`.
int channel_count(const HostLayout& layout);
int port_of(int channel, int channels, int members);

// A layout with its channels counted once.
struct Channels {
  const HostLayout& layout;
  int count = 1;
  double share = 1.0;

  explicit Channels(const HostLayout& hosts);
  int port(const std::vector<int>& members, int channel) const;
  int rank(int host, int channel) const;
};

// Up from `below` to `above`, and the result back down.
void add_up_and_down(EdgeSum& sum, int below, int above, double share);
// The members of each host as chains that end at the ports.
void add_chains(EdgeSum& sum, const Channels& channels);
// Each channel's bytes over the hosts: half over either tree of the double binary tree.
void add_double_tree(EdgeSum& sum, const Channels& channels);

}  // namespace quintet
