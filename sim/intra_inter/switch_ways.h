// What goes to the NVSwitches of a host and no further: they add up what they read (NVLS).
#pragma once

#include "sim/topology/route.h"
#include "sim/topology/topology.h"

namespace quintet {

// A GPU's way to the NVSwitches of its host, spread over all of them, or back.
Route to_switch(const Topology& topology, DeviceId slot);
Route from_switch(const Topology& topology, DeviceId slot);

}  // namespace quintet
