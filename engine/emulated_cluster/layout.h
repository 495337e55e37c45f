// What an emulated cluster consists of, before anything is made: which namespaces, which cables
// between them, which way each pair of hosts takes. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "engine/emulated_cluster/emulated_cluster.h"

namespace quintet::engine {

struct ClusterSpace {
  std::string name;
  HostId host;  // none: a switch
  bool operator==(const ClusterSpace&) const = default;
};

struct CableEnd {
  std::size_t space = 0;
  std::string device;  // the interface's name there: 15 characters at most
  LinkId link;         // the direction that leaves here
  Bandwidth rate;
  Seconds delay;  // zero: none is made
  Seconds more;   // that may be added while it runs: it passes the delay line from the beginning
  bool operator==(const CableEnd&) const = default;
  bool delayed() const { return delay > Seconds{} || more > Seconds{}; }
};

struct Cable {
  std::array<CableEnd, 2> ends;
  bool delayed() const { return ends[0].delayed() || ends[1].delayed(); }
  bool operator==(const Cable&) const = default;
};

// One of a host's interfaces, and the end of a cable that it is. Where every host has one, they
// have the hosts' numbers.
struct HostInterface {
  std::size_t space = 0, cable = 0, end = 0;
  bool operator==(const HostInterface&) const = default;
};

// In a space: messages to a host's interface leave by this end of a cable.
struct HostRoute {
  std::size_t space = 0, to = 0;
  std::optional<std::size_t> from;  // only those of that interface
  std::size_t cable = 0, end = 0;
  bool operator==(const HostRoute&) const = default;
};

struct ClusterLayout {
  std::vector<ClusterSpace> spaces;  // the hosts first, in the order their first rank has
  std::vector<Cable> cables;
  std::vector<std::optional<HostInterface>> interfaces;  // of hosts, by number; none: no cable
  std::vector<HostRoute> routes;
  std::vector<std::size_t> space_of_rank;
  std::vector<RankPlace> places;  // by rank
  int payload = 0;                // bytes of a packet
  std::vector<std::string> deviations;
};

// Rank i sits in slots[i]. Fails where the topology has what cannot be emulated; what only differs
// is in `deviations`.
Result<ClusterLayout> cluster_layout(const Topology& topology, const std::vector<DeviceId>& slots,
                                     const EmulatedClusterOptions& options);

// This is the address of a host's interface, by its number: 10.77.0.1, 10.77.0.2 ...
std::string host_address(std::size_t interface);
// The number of the interface that is this end of a cable; nothing: a switch's.
std::optional<std::size_t> interface_at(const ClusterLayout& layout, std::size_t cable,
                                        std::size_t end);

// The end of a cable that the link leaves from; nothing when the emulated cluster has no such
// cable.
struct CablePlace {
  std::size_t cable = 0, end = 0;
};
std::optional<CablePlace> place_of(const ClusterLayout& layout, LinkId link);

}  // namespace quintet::engine
