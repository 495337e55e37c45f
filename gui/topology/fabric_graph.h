// The network of a machine as a graph of switches, to be laid out.
#pragma once

#include <vector>

#include "gui/topology/graph_shape.h"
#include "sim/topology/topology.h"

namespace quintet::gui {

// Switches and hosts of the machine, and who is joined to whom.
struct Fabric {
  std::vector<DeviceId> switches;
  std::vector<int> number_of_device;  // switches: 0 ..; others: -1
  Neighbours of_switch;               // switches that are joined to it
  Neighbours hosts_of_switch;         // by number of host
};
Fabric fabric_of(const Topology& topology);

}  // namespace quintet::gui
