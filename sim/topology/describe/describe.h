// What a machine is: counts, network, paths, each number with its origin (`quintet topology`).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/topology/topology.h"

namespace quintet {

struct DeviceCount {
  DeviceKind kind = DeviceKind::gpu;
  int tier = 0;  // of network switches
  int count = 0;
  bool operator==(const DeviceCount&) const = default;
};

// Links that are alike, each direction counted: a full-duplex cable is two.
struct LinkCount {
  LinkKind kind = LinkKind::network;
  Bandwidth bandwidth;
  Seconds latency;
  PartId part;
  int count = 0;
  bool operator==(const LinkCount&) const = default;
};

struct TopologySummary {
  int hosts = 0;
  int slots = 0;  // GPUs, or CPU rank slots
  std::vector<DeviceCount> devices;
  std::vector<LinkCount> links;
  NetworkShape network;
  std::optional<Bandwidth> bisection_by_flow;
  std::optional<int> diameter;  // links between the farthest NICs
  Watts gpu_power, host_power, network_power;
  DollarsPerHour price;
  bool operator==(const TopologySummary&) const = default;
};

// Counts, power and price; bisection_by_flow() and network_diameter() leave theirs empty where they
// find none.
TopologySummary summary(const Topology& topology);

// For people: tables, and at the end the parts with their sources.
std::string describe(const Topology& topology);

// The shortest path link by link, with rate, latency and origin. `from` and `to` are devices.
std::string describe_path(const Topology& topology, DeviceId from, DeviceId to);

// "host3/gpu5" -> device.
std::optional<DeviceId> device_named(const Topology& topology, std::string_view name);

// For programs: the summary as JSON with base units in the key names, and the path when asked for.
std::string topology_json_text(const Topology& topology,
                               std::optional<std::pair<DeviceId, DeviceId>> path = std::nullopt);

}  // namespace quintet
