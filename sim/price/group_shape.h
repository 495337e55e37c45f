// A communicator's group on the machine: who sits on which host, and what NCCL's tuner sees of it.
#pragma once

#include <vector>

#include "sim/base/ids.h"
#include "sim/ccl/nccl/communicator_shape.h"
#include "sim/ccl/traffic.h"
#include "sim/topology/topology.h"

namespace quintet {

struct GroupShape {
  HostLayout layout;
  CommunicatorShape tuner;
  bool gpus = true;  // all members are GPUs
  int hosts() const { return static_cast<int>(layout.hosts.size()); }
};

// slots: of each rank of the job.
GroupShape group_shape(const Topology& topology, const std::vector<DeviceId>& slots,
                       const std::vector<Rank>& members);

}  // namespace quintet
