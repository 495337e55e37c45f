// Gathers the bytes of one phase by edge while an algorithm walks its messages, also those of
// switches that reduce: the NVSwitches of a host, the tree of a network.
#pragma once

#include <vector>

#include "sim/ccl/schedule.h"
#include "sim/ccl/traffic.h"

namespace quintet {

class EdgeSum {
 public:
  // Messages to oneself or of nothing are no messages.
  void add(int from, int to, double bytes_per_byte, Effect effect);
  TrafficPhase phase(CollectiveKind kind, int steps) const;

 private:
  struct Message {
    TrafficEdge edge;
    Effect effect = Effect::copy;
  };
  double busiest(Effect effect) const;
  std::vector<TrafficEdge> sorted() const;  // by both ends; those of one pair as they were added
  std::vector<Message> messages_;
};

// What a head hands to the network and gets back, per byte of the collective. It stands for `share`
// of the buffer; of a scattered or gathered one the group of `ranks` holds one n-th each.
void add_through_network(EdgeSum& sum, CollectiveKind kind, int head, double share, int ranks);

// Each host's members as a ring that scatters sums and gathers results: what n members of one host
// hand one another before their shares leave it and after they are back.
void add_rings_inside(EdgeSum& sum, const HostLayout& layout);

// Messages that wait for one another: up, down, and through the network where there is one.
int switch_hops(CollectiveKind kind, const HostLayout& layout);

}  // namespace quintet
