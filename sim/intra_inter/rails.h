// The ways out of a GPU: which NIC carries a transfer out of its host, and to the NVSwitches. NICs
// with the same number on all hosts form a rail; in a rail-optimised fabric a rail is one leaf
// switch. With PXN a GPU hands data over NVLink to the GPU beside it whose NIC is on the
// destination's rail, which sends it ("receive locally, send remotely"; NCCL 2.12,
// src/graph/paths.cc).
//
// A GPU whose NIC has failed hands what it sends over NVLink to a neighbour that has one (PXN
// again: ncclTopoComputePaths gives a GPU a way over a peer's NIC where its own way is worse than
// PATH_PXB), the one on the destination's rail where there is one. Without forwarding, and for what
// it receives (PXN is of senders only), it takes the NIC that it is dealt (nic_of) over PCIe and
// the processor, as NCCL does. What NCCL does not do: the neighbour need not be of the same
// communicator here.
#pragma once

#include <vector>

#include "sim/plan/intra_inter.h"
#include "sim/topology/route.h"
#include "sim/topology/topology.h"

namespace quintet {

// One neighbour that may send in another's stead, itself included.
struct RailOwner {
  int local = 0;
  int rail = -1;  // number of its NIC inside the host; -1: none
  bool operator==(const RailOwner&) const = default;
};

// The local number of the rank that hands the transfer to its NIC; the sender itself unless
// forwarding finds a better one. `reachable`: whom the sender reaches over NVLink. Owners of one
// rail take turns by the sender's number, so that eight senders do not load one GPU.
int sending_local(Forwarding forwarding, const RailOwner& sender, int destination_rail,
                  const std::vector<RailOwner>& reachable);

// The same on a topology, between rank slots of different hosts. When it is not `from`, the
// transfer first crosses NVLink from `from` to it.
DeviceId sending_slot(const Topology& topology, Forwarding forwarding, DeviceId from, DeviceId to);

// A GPU's way to the NVSwitches of its host, spread over all of them, or back. It is the way of
// what goes no further: the switches add up what they read (NVLS).
Route to_switch(const Topology& topology, DeviceId slot);
Route from_switch(const Topology& topology, DeviceId slot);

}  // namespace quintet
