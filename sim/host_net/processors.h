// Processor cores that ranks without GPUs share, as links: computing on a core and moving bytes
// through it load the same one, and a fabric that shares links fairly lets threads take turns as a
// fair scheduler does.
//
// A pool's unit is what a core moves in its time: with c = ProcessorCosts::message_rate, a pool of
// n cores carries n c bytes/s. A kernel of t seconds is a flow of t c bytes, no faster than c; a
// byte on its way from rank to rank is half a byte at each end.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/cost/cost_table.h"
#include "sim/topology/route.h"
#include "sim/topology/topology.h"

namespace quintet {

struct CorePool {
  int cores = 0;
  int ranks = 0;   // of the job, that share them
  Bandwidth rate;  // of all its cores together
};

class CorePools {
 public:
  // One pool for all ranks where the costs say so, otherwise one per host; none without
  // ProcessorCosts. GPUs are in none. `slots`: of every rank of the job.
  CorePools(const Topology& topology, const CostTable& costs, std::span<const DeviceId> slots);

  // As links they are numbered after the topology's, in this order.
  const std::vector<CorePool>& pools() const { return pools_; }
  bool is_pool(std::int32_t link) const { return !pools_.empty() && link >= first_; }
  // -1: none.
  std::int32_t link_of(DeviceId device) const {
    return link_of_device_.empty() ? -1 : link_of_device_[device.index()];
  }

  // What a byte takes of the cores at both ends of its way.
  void load_ends(Route& route, DeviceId from, DeviceId to) const;
  // Whether some of these share their cores with more ranks than there are cores.
  bool crowd(std::span<const DeviceId> slots) const;

 private:
  const CorePool* pool_of(DeviceId device) const;

  std::vector<CorePool> pools_;
  std::int32_t first_ = 0;
  std::vector<std::int32_t> link_of_device_;  // empty where nobody shares cores
};

// What messages between ranks without GPUs take beside their bytes on the wire. Nothing where the
// costs know of no processors.
struct MessageLatency {
  Seconds usual;    // from the sender's call to the receiver's
  Seconds crowded;  // more where kernels have taken all cores
};

// Per message; nothing without processors.
MessageLatency processor_message_latency(const CostTable& costs);

// How many times longer than with its bytes alone `messages` of `size` bytes in all keep the cores
// that move `moved` bytes for each of them.
double processor_message_work(const CostTable& costs, double messages, Bytes size, double moved);

}  // namespace quintet
