// How finely the network is simulated: which implementation stands behind sim/network/fabric.h.
#pragma once

#include <memory>
#include <vector>

#include "sim/base/event_queue.h"
#include "sim/network/fabric.h"
#include "sim/network/fluid/fluid_fabric.h"

namespace quintet {

enum class Fidelity {
  fluid,  // a communication is one flow, all its phases coupled; max-min sharing
          // (sim/network/fluid)
};

// `solver`: of the fluid one. The fabric must outlive the events that it leaves in the queue.
std::unique_ptr<Fabric> make_fabric(Fidelity fidelity, Solver solver, EventQueue& events,
                                    std::vector<LinkShare> links);

}  // namespace quintet
