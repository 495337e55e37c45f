// NCCL's cost model, re-implemented from its published constants as versioned data tables:
// reproduces which algorithm, protocol and channel count NCCL chooses, and the latency and
// bandwidth it believes in. Facts: NCCL 2.28.9 and 2.30.7 src/graph/tuning.cc (reference
// models.md 1.1-1.4, engine.md 3-4).
#pragma once

#include <optional>
#include <vector>

#include "sim/plan/ccl.h"
#include "sim/units.h"

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
  ChannelGraph ring, tree, nvls;
  bool operator==(const CommunicatorShape&) const = default;
};

// The graphs NCCL's search ends with on machines of this kind: GPUs per node in the group, NVLink
// rate per GPU and direction, NIC rate per node and its count. Approximates the search by its speed
// lists (models.md 1.4, last part).
struct LocalHardware {
  GpuGeneration generation = GpuGeneration::hopper;
  LocalLink link = LocalLink::nvlink;
  HostCpu cpu = HostCpu::intel;
  bool nvswitch = true;
  bool in_network = false;
  int nvlinks = 18;  // per GPU
  Bandwidth pcie;    // per GPU
  Bandwidth nic;     // per NIC
  int nics = 8;      // per node that the group's GPUs may use
};
CommunicatorShape communicator_shape(int ranks, int nodes, const LocalHardware& hardware);

struct TunerChoice {
  Algorithm algorithm = Algorithm::ring;
  Protocol protocol = Protocol::simple;
  int channels = 1;
  Seconds latency;      // NCCL's, corrections applied
  Bandwidth bandwidth;  // algorithm bandwidth, corrections applied
  Seconds time;         // latency + size / bandwidth
  bool operator==(const TunerChoice&) const = default;
};

// The table entry without size-dependent corrections (what engine.md 4 prints), or nothing when
// NCCL rules it out.
struct TunerEntry {
  Seconds latency;
  Bandwidth bandwidth;
};
std::optional<TunerEntry> tuner_entry(TunerVersion version, CollectiveKind kind,
                                      Algorithm algorithm, Protocol protocol,
                                      const CommunicatorShape& shape);

// Every allowed choice with its time for this size; `rule` narrows it. kind: all but all_to_all.
std::vector<TunerChoice> tuner_choices(TunerVersion version, CollectiveKind kind, Bytes size,
                                       const CommunicatorShape& shape,
                                       const CollectiveRule& rule = {});

// The smallest time, first in (algorithm, protocol) order on ties; nothing when the rule leaves
// nothing.
std::optional<TunerChoice> choose(TunerVersion version, CollectiveKind kind, Bytes size,
                                  const CommunicatorShape& shape, const CollectiveRule& rule = {});

}  // namespace quintet
