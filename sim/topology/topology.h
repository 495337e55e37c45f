// The machine: devices (vertices) and links (directed edges), frozen into flat arrays, plus the
// specifications that costs, energy and prices need. Built by the families from a topology file;
// plain data afterwards.
//
// What a built topology promises (routing relies on it):
//   gpu -- nvswitch          NVLink; one link to each NVSwitch of the host
//   gpu, nic -- pcie_switch -- cpu -- cpu      PCIe, PCIe, socket link
//   nic -- network_switch -- network_switch    the fabric
//   cpu (rank slot) -- pcie_switch -- nic      a host without GPUs
// - Every wire is two links, one per direction, with neighbouring ids (2n there, 2n + 1 back).
// - A GPU and the NICs of its own PCIe switch are two links apart; that way never meets a CPU.
// - Traffic passes only through devices that may_forward; through a NIC only between its own host
//   and the fabric, and through a host's devices only when the host is the source or the
//   destination. GPUs never forward. Every two rank slots are joined by such a path.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/data_type.h"
#include "sim/base/ids.h"
#include "sim/base/units.h"

namespace quintet {

enum class DeviceKind { gpu, cpu, nvswitch, pcie_switch, nic, network_switch };
enum class LinkKind { nvlink, pcie, socket, network };  // socket: CPU to CPU
enum class CpuVendor { intel, amd, arm };
enum class NetworkProtocol { infiniband, roce, tcp };

// Where a number comes from; every number of a topology belongs to exactly one part.
struct Part {
  std::string name;    // "NVLink 4 port", "ConnectX-7", "Quantum-2 switch"
  std::string source;  // data sheet, measurement with date, or "assumed"
  bool operator==(const Part&) const = default;
};

struct Device {
  DeviceKind kind = DeviceKind::gpu;
  std::string name;  // unique: "host3/gpu5", "leaf2"
  HostId host;       // none for network switches
  int ordinal = 0;   // GPU or NIC number inside the host; switch number inside its tier
  int tier = 0;      // network switches: 1 = leaf, 2 = spine, 3 = core
  PartId part;
  bool operator==(const Device&) const = default;
};

// One direction. A full-duplex cable is two links.
struct Link {
  DeviceId from, to;
  LinkKind kind = LinkKind::network;
  Bandwidth bandwidth;  // raw rate of the wire before framing
  Seconds latency;
  PartId part;
  // The share of its rate that is left (sim/topology/faults). Whoever sets a machine up believes in
  // `bandwidth`; what moves gets rate().
  double left = 1.0;
  bool operator==(const Link&) const = default;

  Bandwidth rate() const { return left * bandwidth; }
};

struct PeakRate {
  DataType type = DataType::bf16;
  FlopRate rate;  // dense
  bool operator==(const PeakRate&) const = default;
};

struct GpuSpec {
  std::string name;    // "H100-SXM-80GB"
  int sm_version = 0;  // 80, 90, 100
  int sms = 0;         // streaming multiprocessors
  Bytes memory;
  Bandwidth memory_bandwidth;
  std::vector<PeakRate> peaks;
  Watts power;  // at full load (TDP)
  Watts idle_power;
  DollarsPerHour price;  // per GPU, host and network included
  std::string source;
  bool operator==(const GpuSpec&) const = default;
};

struct HostSpec {
  std::string name;  // "DGX H100"
  CpuVendor cpu = CpuVendor::intel;
  int sockets = 2;
  int cores = 0;  // in all
  Bytes memory;
  Bandwidth memory_bandwidth;
  Watts power;  // all but the GPUs
  std::string source;
  bool operator==(const HostSpec&) const = default;
};

struct Host {
  std::string name;
  int spec = 0;  // index into Topology::host_specs
  // In local order; a host without GPUs lists one `cpu` device per rank slot instead, or none where
  // it only adds what ranks elsewhere send it.
  std::vector<DeviceId> gpus;
  std::vector<DeviceId> nics;
  int lost_nics = 0;  // that have failed: no longer in `nics` (sim/topology/faults)
  bool operator==(const Host&) const = default;
};

// What the family knows in closed form.
struct NetworkShape {
  std::string family = "none";    // NetworkFamily::name
  int tiers = 0;                  // of switches that were built
  double oversubscription = 1.0;  // of a leaf: rate down / rate up
  // One direction, hosts split evenly: half of what the narrowest tier carries. 0: not known.
  Bandwidth bisection;
  std::vector<int> sizes{};  // of a grid: nodes in x, y and z
  int circuits = 0;          // that leave each host, where hosts are joined without switches
  bool reduces = false;      // its switches add what passes through them (SHARP, SwitchML)
  bool operator==(const NetworkShape&) const = default;
};

// Every message between ranks of two hosts waits so long, one way, before its sender lets it go:
// whoever sends it, a communication kernel or a delegate, sends nothing else meanwhile. So
// PipeMorph (arXiv 2504.19232) makes links slow, by a kernel that spins or a delegate that sleeps.
struct HeldSend {
  HostId from, to;
  Seconds by;
  Seconds late{};  // longer on the way, while its sender goes on
  bool operator==(const HeldSend&) const = default;
};

struct Topology {
  std::string name;
  std::string description;
  NetworkProtocol protocol = NetworkProtocol::infiniband;
  std::vector<Part> parts;
  std::vector<GpuSpec> gpu_specs;  // all GPUs of a host are of one; several make a mixed cluster
  std::vector<HostSpec> host_specs;
  std::vector<int> gpu_spec_of_host;  // index into gpu_specs per host; -1: a CPU host
  std::vector<Host> hosts;
  std::vector<Device> devices;
  std::vector<Link> links;
  std::vector<std::vector<LinkId>> outgoing;  // per device, in link order
  Watts network_power;                        // switches and optics, all together
  NetworkShape network;
  // What was made worse of it for a run, a phrase each: "host3/nic5 at 50 % of its rate". Empty: it
  // is the machine of its file.
  std::vector<std::string> faults{};
  std::vector<double> slot_speeds{};  // share of a slot's speed that is left; empty: all of each
  std::vector<HeldSend> held_sends{};

  bool operator==(const Topology&) const = default;

  const Device& device(DeviceId id) const { return devices[id.index()]; }
  const Link& link(LinkId id) const { return links[id.index()]; }
  const Host& host(HostId id) const { return hosts[id.index()]; }
};

// As reports and JSON write them.
std::string_view name_of(DeviceKind kind);
std::string_view name_of(LinkKind kind);
std::string_view name_of(NetworkProtocol protocol);
std::string_view name_of(CpuVendor vendor);

// Whether traffic between other devices may pass; the invariants above say when.
bool may_forward(DeviceKind kind);

// How long messages between them are held, and how much longer than usual they are on the way, all
// together.
struct HeldBack {
  Seconds by, late;
};
HeldBack held_between(const Topology& topology, DeviceId from, DeviceId to);

// Where ranks live: every GPU (or CPU rank slot) in host order.
std::vector<DeviceId> rank_slots(const Topology& topology);

// Nothing where the GPU's data sheet has no rate of the type.
std::optional<FlopRate> peak_rate(const GpuSpec& gpu, DataType type);

// The NIC a GPU (or CPU rank slot) sends through: on the same PCIe switch, the switch's GPUs dealt
// out evenly over its NICs; on a switch without NICs, the host's GPUs over the host's NICs. None
// (an invalid id) when the host has no NIC.
DeviceId nic_of(const Topology& topology, DeviceId slot);
// Whether that NIC hangs on the slot's own PCIe switch.
bool has_near_nic(const Topology& topology, DeviceId slot);
// The number of that NIC inside its host; -1 without NICs.
int rail_of(const Topology& topology, DeviceId slot);
// The CPU socket behind the GPU's PCIe switch: where staged and delegated traffic goes. A CPU rank
// slot is its own. None when the graph has none.
DeviceId cpu_of(const Topology& topology, DeviceId slot);
// Both hang on one NVSwitch, or a direct NVLink joins them.
bool nvswitch_connected(const Topology& topology, DeviceId one, DeviceId other);

}  // namespace quintet
