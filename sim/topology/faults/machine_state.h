// A machine while some of a file's faults hold: what its links and ranks have left. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/topology/faults/fault_file.h"
#include "sim/topology/topology.h"

namespace quintet {

// What becomes of traffic whose NIC fails while a job runs.
enum class NicLoss {
  stands_still,  // a communicator keeps the NICs that it was made with: NCCL (2.28) and UCX do
  next_nic,  // the host sends again by its next NIC, as CPU delegates do (arXiv 2504.19232, 4.4),
             // and this engine's CPU ranks (engine/network/routes)
};

struct MachineState {
  // Slower and later; without what has failed where the network has another way. Who is on the way
  // when something fails goes on by the old one: resending and finding ways anew take no time here.
  Topology topology;
  // Per link of `topology` its number in the whole machine. Empty: they are the same.
  std::vector<LinkId> whole_link;
  // In the whole machine's numbers, both directions: nothing passes, though traffic goes that way,
  // for there is no other.
  std::vector<LinkId> dead;
  std::vector<double> rank_shares;  // of each rank's speed; empty: all of each
};

// The error names the file's part, and what names there are that look alike; or the rank.
Result<MachineState> machine_state(const Topology& whole, std::span<const Fault> wrong, int ranks,
                                   NicLoss nic_loss = NicLoss::stands_still);

// What a link is like, whatever way traffic takes: for links that somebody really shapes.
struct LinkCondition {
  Bandwidth rate;
  Seconds latency;
  bool dead = false;
  bool operator==(const LinkCondition&) const = default;
};
// Per link of the whole machine.
Result<std::vector<LinkCondition>> link_conditions(const Topology& whole,
                                                   std::span<const Fault> wrong);

// Each fault alone, before a run: names that are wrong are wrong now, not in the thousandth step.
std::optional<Error> misnamed(const Topology& whole, const FaultPlan& faults, int ranks);

}  // namespace quintet
