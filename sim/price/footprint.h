// What one communication puts on the links of the machine, and how fast they let it go alone.
#pragma once

#include <vector>

#include "sim/ccl/traffic.h"
#include "sim/cost/cost_table.h"
#include "sim/network/link_load.h"
#include "sim/plan/ccl.h"
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

class Footprints {
 public:
  // References must outlive this.
  Footprints(const Paths& paths, const std::vector<LinkShare>& links, const OverlapCosts& overlap)
      : paths_(paths), links_(links), overlap_(overlap) {}

  Footprint of_group(const HostLayout& layout, CollectiveKind kind, Algorithm algorithm,
                     Delivery delivery) const;
  Footprint of_path(const Route& path) const;

 private:
  struct Way {
    Route route;
    bool crosses_hosts = false;
  };
  Way way_of(const HostLayout& layout, const TrafficEdge& edge, Delivery delivery) const;
  DeviceId slot_of(const HostLayout& layout, int end) const;

  const Paths& paths_;
  const std::vector<LinkShare>& links_;
  const OverlapCosts& overlap_;
};

}  // namespace quintet
