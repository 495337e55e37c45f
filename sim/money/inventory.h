// How many of each part a machine's graph has: what must be bought. Pure.
//   hosts, GPUs    as the machine's file counts them
//   NICs           devices of the graph, by the rate of their cables together
//   switches       of the network, by the rate of their fastest cable; NVSwitches belong to hosts
//   cables         wires of the network, one for both directions; one end at a NIC, or none
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/topology/topology.h"

namespace quintet {

struct CountedGpus {
  std::string gpu;
  DollarsPerHour own_price;  // the machine's file's; 0: it has none
  std::int64_t count = 0;
  bool operator==(const CountedGpus&) const = default;
};

struct CountedHosts {
  std::string host;
  int gpus = 0;  // of each
  std::int64_t count = 0;
  bool operator==(const CountedHosts&) const = default;
};

struct CountedNics {
  std::string nic;
  Bandwidth rate;
  std::int64_t count = 0;
  bool operator==(const CountedNics&) const = default;
};

struct CountedSwitches {
  std::string part;
  int tier = 0;
  Bandwidth port;
  int cables = 0;  // of each
  std::int64_t count = 0;
  bool operator==(const CountedSwitches&) const = default;
};

struct CountedCables {
  bool between_switches = false;
  Bandwidth rate;
  std::int64_t count = 0;
  bool operator==(const CountedCables&) const = default;
};

// Alike parts are counted together, in the order in which the graph has them.
struct Inventory {
  std::vector<CountedGpus> gpus;
  std::vector<CountedHosts> hosts;
  std::vector<CountedNics> nics;
  std::vector<CountedSwitches> switches;
  std::vector<CountedCables> cables;
  bool operator==(const Inventory&) const = default;
};

Inventory inventory_of(const Topology& topology);

}  // namespace quintet
