// What --hold was asked for and means nothing for a plan: senders hold back messages between
// pipeline stages, no collectives.
#pragma once

#include <string>
#include <vector>

#include "sim/plan/plan.h"
#include "sim/topology/topology.h"

namespace quintet {

// A remark for each way between two hosts that is held (Topology::held_sends) where no stage of the
// plan sends to the next or the one before.
std::vector<std::string> remarks_on_held_sends(const Plan& plan, const Topology& topology);

}  // namespace quintet
