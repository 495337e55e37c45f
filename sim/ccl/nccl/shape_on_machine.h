// What NCCL's tuner sees of a group of GPUs on a machine.
#pragma once

#include "sim/ccl/nccl/communicator_shape.h"
#include "sim/topology/host_layout.h"
#include "sim/topology/topology.h"

namespace quintet {

// By the links of its first member and the NICs of that member's host. `layout` has slots.
CommunicatorShape communicator_shape(const Topology& topology, const HostLayout& layout);

}  // namespace quintet
