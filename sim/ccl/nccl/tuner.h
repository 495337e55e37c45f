// NCCL's cost model, re-implemented from its published constants as versioned data tables:
// reproduces which algorithm, protocol and channel count NCCL chooses, and the latency and
// bandwidth it believes in. Facts: NCCL 2.28.9 and 2.30.7 src/graph/tuning.cc (reference
// models.md 1.1-1.4, engine.md 3-4).
#pragma once

#include <optional>
#include <vector>

#include "sim/base/units.h"
#include "sim/plan/ccl.h"

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
  bool in_network = false;
  int nvlinks = 18;  // per GPU
  Bandwidth pcie;    // per GPU, as NCCL counts it (see below); 0: no limit
  Bandwidth nic;     // per NIC, at its wire rate
  int nics = 8;      // per node that the group's GPUs may use
};

// NCCL counts PCIe at 3/4 of the lane rate: Gen4 x16 24 GB/s, Gen5 x16 48 (topo.h, engine.md 3).
// `rate` is the link's rate after 128b/130b encoding (Gen4 x16 31.5 GB/s).
constexpr Bandwidth pcie_as_nccl_counts(Bandwidth rate) {
  return 0.75 * 130.0 / 128.0 * rate;
}

// The graphs NCCL's search ends with on machines of this kind. An approximation: the same speed
// lists, the same order and stopping rules, but instead of walking paths it divides each resource
// (NVLink or PCIe of a GPU, NICs) by the speed, since behind an NVSwitch all orders are alike.
// Hosts wired as meshes, NICs behind CPUs and more than one NVLink hop are not modelled. Reproduces
// the graphs of engine.md 4.
CommunicatorShape communicator_shape(int ranks, int nodes, const LocalHardware& hardware);

// Channels of the communicator, from which each collective takes as many as its size deserves.
int communicator_channels(const CommunicatorShape& shape);

struct TunerChoice {
  Algorithm algorithm = Algorithm::ring;
  Protocol protocol = Protocol::simple;
  int channels = 1;
  Seconds latency;      // NCCL's belief, corrections applied; it does not depend on a forced count
  Bandwidth bandwidth;  // algorithm bandwidth, corrections applied; infinite for a single rank
  Seconds time;         // latency + size / bandwidth
  bool operator==(const TunerChoice&) const = default;
};

// The table entry without size-dependent corrections (what engine.md 4 prints), or nothing when
// NCCL rules it out or does not have it (halving_doubling, direct, hierarchical, all_to_all).
struct TunerEntry {
  Seconds latency;
  Bandwidth bandwidth;
};
std::optional<TunerEntry> tuner_entry(TunerVersion version, CollectiveKind kind,
                                      Algorithm algorithm, Protocol protocol,
                                      const CommunicatorShape& shape);

// Every allowed choice with its time for this size, in (algorithm, protocol) order. The algorithm,
// protocol and channels of `rule` narrow it; whether its kind and axis match is for the caller.
std::vector<TunerChoice> tuner_choices(TunerVersion version, CollectiveKind kind, Bytes size,
                                       const CommunicatorShape& shape,
                                       const CollectiveRule& rule = {});

// The smallest time, first in (algorithm, protocol) order on ties; nothing when the rule leaves
// nothing.
std::optional<TunerChoice> choose(TunerVersion version, CollectiveKind kind, Bytes size,
                                  const CommunicatorShape& shape, const CollectiveRule& rule = {});

}  // namespace quintet
