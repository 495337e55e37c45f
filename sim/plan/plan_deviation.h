// What a plan asks for and an executor does otherwise, so that nothing is ignored in silence.
#pragma once

#include <string>

namespace quintet {

struct PlanDeviation {
  std::string decision;  // "host_net.queue_pairs", as in plan.json
  std::string asked;     // "4"
  std::string done;      // "the transport opens one connection per pair of ranks"
  bool operator==(const PlanDeviation&) const = default;
};

}  // namespace quintet
