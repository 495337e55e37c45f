// The inside of hosts: read from a file, and the devices that a recipe stands for, wired.
#pragma once

#include <cstdint>

#include "sim/topology/recipe/device_graph.h"
#include "sim/topology/recipe/recipe.h"

namespace quintet {

class JsonObject;

struct HostSize {
  std::int64_t devices = 0;
  std::int64_t links = 0;  // one direction each, those to the network not counted
};

// Known before anything is allocated.
HostSize host_size(const HostRecipe& host);

// Adds host number `number`; `spec` is its index into Topology::host_specs.
//
//    gpu0 gpu1     nic0 nic1        each GPU also to every nvswitch of the host
//       \    \     /    /           .
//        pcie_switch 0  ...         switch s holds every (slots / switches)-th run of GPUs and NICs
//              |
//            cpu0 ---- cpu1         switches dealt evenly to sockets; sockets joined pairwise
Host add_host(DeviceGraph& graph, const HostRecipe& host, int number, int spec);

// The host object of a topology file, or a host file of its own (host_file.cpp;
// topologies/README.md). What is wrong stays in `object`.
HostRecipe read_host(JsonObject& object);

}  // namespace quintet
