// Processor cores that ranks without GPUs share, as links: computing on a core and moving bytes
// through it load the same one, and max-min sharing (sim/network/fluid/fair_share.h) lets threads
// take turns as a fair scheduler does.
//
// A pool's unit is what a core moves in its time: with c = ProcessorCosts::message_rate, a pool of
// n cores carries n c bytes/s. A kernel of t seconds is a flow of t c bytes, no faster than c; a
// byte on its way from rank to rank is half a byte at each end.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/cost/cost_table.h"
#include "sim/network/fluid/fair_share.h"
#include "sim/topology/topology.h"

namespace quintet {

struct CorePools {
  std::vector<LinkShare> links;  // numbered after the topology's, from `first` on
  std::vector<int> cores;        // of each
  std::int32_t first = 0;
  std::vector<std::int32_t> link_of_device;  // -1: none; empty where nobody shares cores

  int cores_of(std::int32_t link) const { return cores[static_cast<std::size_t>(link - first)]; }
  std::int32_t link_of(DeviceId device) const {
    return link_of_device.empty() ? -1 : link_of_device[device.index()];
  }
};

// One pool for all ranks where the costs say so, otherwise one per host; none without
// ProcessorCosts. GPUs are in none.
CorePools core_pools(const Topology& topology, const CostTable& costs);

}  // namespace quintet
