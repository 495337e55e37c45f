// What a user makes worse of a machine for a run ("what if this NIC were slow, that leaf dead?"):
// --slow, --fail and --delay of `quintet simulate` and `quintet topology`. Pure.
//
//   slow   links carry a share of their rate, or GPUs compute at a share of their speed. Whoever
//          sets the machine up does not know: Link::bandwidth stays what it was, Link::rate() falls
//   fail   cables of the network, switches and NICs are not there when the job starts. A NIC whose
//          last cable is gone is gone, too: InfiniBand's port is down, and NCCL leaves it out
//          (NCCL 2.28 src/transport/net_ib.cc takes ports in the state ACTIVE only). What replaces
//          it in communication: sim/intra_inter/rails.h, sim/ccl/algorithms/channels.h
//   delay  latency that a message meets beside the usual
#pragma once

#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/topology/topology.h"

namespace quintet {

inline constexpr Seconds longest_delay{3600.0};  // that a link may have: as a file's latency

// As they stand behind the options. A name is a device's ("host3/nic5", "leaf0"), a host's
// ("host3"), or the two ends of a cable ("leaf0-spine1": all parallel ones).
struct Faults {
  std::vector<std::string> slow;  // "host3/nic5=0.5", "=50%": of NICs, cables, switches, GPUs,
                                  // hosts (their GPUs)
  std::vector<std::string> fail;  // "leaf0": of cables of the network, switches and NICs
  std::vector<std::string>
      delay;  // "leaf0-spine1=5us": of cables, NICs, switches (once per passage)
  bool empty() const { return slow.empty() && fail.empty() && delay.empty(); }
  bool operator==(const Faults&) const = default;
};

// The machine with them; Topology::faults and its name say so. The error names the option, says
// what names there are that look alike, or which ranks (by their places) could not reach which.
Result<Topology> with_faults(Topology topology, const Faults& faults);

// Both directions of what --fail would take away of a part that is named so.
Result<std::vector<LinkId>> links_that_fail(const Topology& topology, const std::string& name);

}  // namespace quintet
