// What a topology file says, before anything is built: plain data that the families read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/topology/topology.h"

namespace quintet {

class DeviceGraph;
struct TopologyRecipe;

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

// What a network adds to its hosts; links count one direction each.
struct NetworkSize {
  std::int64_t devices = 0, links = 0;
};

// What joins hosts, as a file describes it; each family has its own. Errors name the field inside
// the topology file.
class NetworkRecipe {
 public:
  virtual ~NetworkRecipe() = default;

  // Known before anything is allocated.
  virtual Result<NetworkSize> size(const TopologyRecipe& recipe) const = 0;
  // Cables the hosts, which are in the graph already; says what shape and power the network has.
  virtual std::optional<Error> add(DeviceGraph& graph, const TopologyRecipe& recipe,
                                   Topology& topology) const = 0;
  // What is wrong with the finished graph beside what would be wrong in any.
  virtual std::optional<Error> fault(const DeviceGraph&) const { return std::nullopt; }
  // The file lists single devices, so that it holds for one number of hosts only.
  virtual bool lists_devices() const { return false; }
};

struct TopologyRecipe {
  std::string name;
  std::string description;
  std::vector<HostGroup> groups;
  NetworkProtocol protocol = NetworkProtocol::infiniband;
  std::string family = "none";
  bool reduces = false;                          // its switches add what passes through them
  std::unique_ptr<const NetworkRecipe> network;  // null: nothing joins the hosts
  // What hangs on a leaf over its uplinks, by rate, in the place of the network's own; of a torus a
  // node's NICs over its cables. None: as the network says.
  std::optional<double> oversubscription{};
};

inline int hosts_of(const TopologyRecipe& recipe) {
  int hosts = 0;
  for (const HostGroup& group : recipe.groups) hosts += group.count;
  return hosts;
}

}  // namespace quintet
