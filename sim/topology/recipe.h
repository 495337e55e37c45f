// What a topology file says, before anything is built: plain data that the families read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/topology/topology.h"

namespace quintet {

// A kind of wire.
struct WireRecipe {
  Bandwidth bandwidth;  // per direction
  Seconds latency;
  Part part;
};

enum class HostFamily {
  gpu,     // HGX/DGX: GPUs, NVSwitch, PCIe switches, sockets, NICs
  cpu,     // a CPU device per rank slot on one bus, NICs on the same bus
  custom,  // nothing by itself: an explicit graph lists the devices
};

struct HostRecipe {
  HostFamily family = HostFamily::gpu;
  HostSpec spec;
  std::optional<GpuSpec> gpu;  // none on CPU hosts
  int slots = 0;               // GPUs, or CPU rank slots
  std::optional<WireRecipe> nvlink;
  int nvswitches = 0;  // devices; a GPU's NVLink rate is split evenly over them
  int pcie_switches = 1;
  WireRecipe pcie;      // GPU or NIC to PCIe switch
  WireRecipe upstream;  // PCIe switch to CPU socket; on CPU hosts rank slot to bus
  WireRecipe socket;    // between two CPU sockets
  int nics = 0;
  WireRecipe nic;  // its network port; the latency comes from the network
};

struct HostGroup {
  HostRecipe host;
  int count = 1;
};

struct SwitchRecipe {
  Part part;
  int ports = 0;  // cables it can take
  Watts power;    // with its optics
};

// A tree of switches over endpoints (NICs). Either sized here (counts empty) or by explicit counts.
struct TreeRecipe {
  int tiers = 2;                    // at most; fewer when fewer do
  int hosts_per_leaf = 0;           // rail-optimised: hosts of a group; 0 in fat trees
  std::optional<int> leaf_uplinks;  // otherwise from oversubscription
  double oversubscription = 1.0;    // leaf ports down / up
  int planes = 1;                   // separate trees; every NIC has a port in each
  // XGFT(h; children; parents) with parallel cables (Ohring et al. 1995, "On generalized fat
  // trees"); SimGrid writes h;m;w;p.
  std::vector<int> children, parents, cables;
};

struct ListedDevice {
  Device device;
  Part part;
  Watts power;
};

struct ListedLink {
  std::string from, to;
  LinkKind kind = LinkKind::network;
  WireRecipe there, back;
};

struct NetworkRecipe {
  NetworkFamily family = NetworkFamily::none;
  NetworkProtocol protocol = NetworkProtocol::infiniband;
  WireRecipe host_link;  // NIC to leaf; the rate is the NIC's
  WireRecipe trunk;      // switch to switch
  SwitchRecipe leaf, spine, core;
  TreeRecipe tree;
  std::vector<ListedDevice> devices;  // explicit graph
  std::vector<ListedLink> links;
};

struct TopologyRecipe {
  std::string name;
  std::string description;
  std::vector<HostGroup> groups;
  NetworkRecipe network;
};

inline int hosts_of(const TopologyRecipe& recipe) {
  int hosts = 0;
  for (const HostGroup& group : recipe.groups) hosts += group.count;
  return hosts;
}

}  // namespace quintet
