// Ranks that this process starts to time messages, each a process of its own: among hosts that this
// machine pretends to be, or on its GPUs.
#pragma once

#include <optional>
#include <string>

#include "calibrate/messages/message_job.h"
#include "sim/base/result.h"
#include "sim/plan/network.h"
#include "sim/topology/topology.h"

namespace quintet::calibrate {

// Times messages among hosts that this machine pretends to be (engine/emulated_cluster): their
// links are the topology's. The first `ranks` slots of the topology take part, each a process of
// `program`; what they measure is in the request's journal then. Fails where no emulated cluster
// can be made.
std::optional<Error> measure_emulated(const Topology& topology, const Network& network, int ranks,
                                      const MessageRequest& request, const std::string& program);

// Times messages among GPUs of this host, each rank a process of `program`; what they measure is in
// the request's journal then.
std::optional<Error> measure_on_gpus(int ranks, const MessageRequest& request,
                                     const std::string& program);

}  // namespace quintet::calibrate
