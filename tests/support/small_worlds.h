// Small machines for the tests of this room.
#pragma once

#include <optional>
#include <string>

#include "sim/base/result.h"
#include "sim/topology/recipe/recipe.h"
#include "sim/topology/topology.h"

namespace quintet::test {

// "gpus" GPUs, "nics" NICs of 50 GB/s, two sockets, four PCIe switches (one per GPU below four).
std::string gpu_host(int gpus, int nics);
// One rank slot, one NIC of 50 GB/s.
std::string cpu_host();

// A fat tree or rail-optimised network of switches with `ports` ports of 50 GB/s; `more` adds
// fields: ", \"tiers\": 3".
std::string tree(const std::string& family, int ports, const std::string& more = "");

std::string machine(const std::string& host, int hosts, const std::string& network);

Result<Topology> parsed(const std::string& text);
// Asserts success.
Topology built(const std::string& host, int hosts, const std::string& network);

DeviceId device(const Topology& topology, const std::string& name);
int count(const Topology& topology, DeviceKind kind, int tier = 0);
// Cables between network switches.
int trunks(const Topology& topology);

}  // namespace quintet::test
