// Gathers the bytes of one phase by edge while an algorithm walks its messages.
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
  std::vector<Message> messages_;
};

}  // namespace quintet
