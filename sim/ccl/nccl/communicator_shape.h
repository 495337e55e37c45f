// A communicator as NCCL's cost model sees it: how many ranks on how many nodes, and the channels
// that its graph search finds (NCCL 2.28.9, src/graph/search.cc and src/graph/topo.h).
#pragma once

#include "sim/base/units.h"
#include "sim/topology/host_layout.h"
#include "sim/topology/topology.h"

namespace quintet {

enum class GpuGeneration {
  volta,
  ampere,
  hopper,
  blackwell
};  // by compute capability 70, 80, 90, 100
enum class LocalLink { nvlink, pcie };
enum class HostCpu { intel, amd, other };  // mixed counts as amd

// What NCCL's graph search found for one algorithm: channels and GB/s per channel.
struct ChannelGraph {
  int channels = 0;
  Bandwidth intra, inter;
  bool operator==(const ChannelGraph&) const = default;
};

// A communicator as the tuner sees it.
struct CommunicatorShape {
  int ranks = 1;
  int nodes = 1;
  GpuGeneration generation = GpuGeneration::hopper;
  LocalLink link = LocalLink::nvlink;
  HostCpu cpu = HostCpu::intel;
  bool nvswitch = true;
  bool in_network = false;     // CollNet/SHARP available
  bool ll128 = true;           // path gates of LL128 hold
  bool one_nic_owner = false;  // tree pattern 3: one GPU owns the NIC
  bool same_channels = true;   // every ring channel visits the GPUs in the same order
  ChannelGraph ring, tree, nvls;
  bool operator==(const CommunicatorShape&) const = default;
};

// What a group sees of one node: the links of each of its GPUs and the NICs it may use.
struct LocalHardware {
  GpuGeneration generation = GpuGeneration::hopper;
  LocalLink link = LocalLink::nvlink;
  HostCpu cpu = HostCpu::intel;
  bool nvswitch = true;
  bool reducing_switch = true;  // that can add up what it carries (NVLS)
  bool in_network = false;
  int nvlinks = 18;  // per GPU
  Bandwidth pcie;    // per GPU, as NCCL counts it (see below); 0: no limit
  Bandwidth nic;     // per NIC, at its wire rate
  int nics = 8;      // per node that the group's GPUs may use
  bool operator==(const LocalHardware&) const = default;
};

// NCCL counts PCIe at 3/4 of the lane rate: Gen4 x16 24 GB/s, Gen5 x16 48 (src/graph/topo.h).
// `rate` is the link's rate after 128b/130b encoding (Gen4 x16 31.5 GB/s).
constexpr Bandwidth pcie_as_nccl_counts(Bandwidth rate) {
  return 0.75 * 130.0 / 128.0 * rate;
}

// The graphs NCCL's search ends with on machines of this kind. An approximation: the same speed
// lists, the same order and stopping rules, but instead of walking paths it divides each resource
// (NVLink or PCIe of a GPU, NICs) by the speed, since behind an NVSwitch all orders are alike.
// Hosts wired as meshes, NICs behind CPUs and more than one NVLink hop are not modelled.
CommunicatorShape communicator_shape(int ranks, int nodes, const LocalHardware& hardware);

// Channels of the communicator, from which each collective takes as many as its size deserves.
int communicator_channels(const CommunicatorShape& shape);

// What the tuner sees of a group of GPUs on a machine, by the links of the first member of a host
// and the NICs of that host. `layout` has slots.
//
// Hosts of several kinds, or some with NICs lost: each searches with what it has, then all take the
// minimum of channels and speeds over the ranks, the smallest compute capability, the worst type of
// link (NCCL 2.28.9 src/init.cc, initTransportsRank after its third all-gather). A slow NIC that
// says that it is fast is searched as a fast one (Link::bandwidth, not rate()).
CommunicatorShape communicator_shape(const Topology& topology, const HostLayout& layout);

}  // namespace quintet
