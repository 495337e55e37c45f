// What one communication puts on the links of the machine, and how fast they let it go alone.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "sim/ccl/traffic.h"
#include "sim/cost/cost_table.h"
#include "sim/network/link_load.h"
#include "sim/plan/ccl.h"
#include "sim/price/link_sums.h"
#include "sim/price/paths.h"
#include "sim/topology/host_layout.h"

namespace quintet {

struct Footprint {
  std::vector<PhaseLoad> phases;
  Seconds longest_path;        // between hosts
  int network_steps = 0;       // messages between hosts that wait for one another
  int local_steps = 0;         // and inside hosts
  int messages = 0;            // of all members together
  Bandwidth limit;             // what links alone let pass (passing_rate)
  double memory_per_byte = 0;  // HBM traffic per byte of size on the busiest rank
  bool uses_kernel = true;     // communication kernels on the GPU's SMs drive it
};

// Keeps what it has learnt of one group for others that sit alike; therefore one thread at a time.
class Footprints {
 public:
  // References must outlive this.
  Footprints(const Paths& paths, const std::vector<LinkShare>& links, const OverlapCosts& overlap)
      : paths_(paths), links_(links), overlap_(overlap) {}

  Footprint of_group(const HostLayout& layout, CollectiveKind kind, Algorithm algorithm,
                     Delivery delivery);
  Footprint of_path(const Route& path);

 private:
  struct Way {
    Route route;
    bool crosses_hosts = false;
  };
  void find_way(const HostLayout& layout, const TrafficEdge& edge, Delivery delivery);
  const std::vector<TrafficPhase>& traffic_of(const HostLayout& layout, CollectiveKind kind,
                                              Algorithm algorithm);

  const Paths& paths_;
  const std::vector<LinkShare>& links_;
  const OverlapCosts& overlap_;
  Way way_;  // of the edge that is looked at
  LinkSums sums_;
  // The last traffic of each kind and algorithm, and how its group sits.
  struct KnownTraffic {
    HostLayout layout;  // without slots
    std::vector<TrafficPhase> phases;
  };
  std::map<std::pair<CollectiveKind, Algorithm>, KnownTraffic> known_;
};

}  // namespace quintet
