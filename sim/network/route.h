// Flow -> links through the topology's graph. Pure; all equal-cost shortest paths are candidates.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/ids.h"
#include "sim/plan/network.h"
#include "sim/topology/topology.h"

namespace quintet {

// A share of a flow on a link: 1 on a single path; with spraying, or several queue pairs, parts of
// it.
struct RouteShare {
  LinkId link;
  double share = 1.0;
  bool operator==(const RouteShare&) const = default;
};

struct Route {
  std::vector<RouteShare> links;  // each link once, in order from the source
  Seconds latency;                // of the longest path taken
  bool operator==(const Route&) const = default;
};

// Identifies a connection to the hash: equal keys take equal paths.
struct ConnectionKey {
  std::uint64_t source = 0, destination = 0;  // rank slots or devices
  std::uint64_t queue_pair = 0;
};

// Routes over network switches only, between two NICs (or any two devices of an explicit graph that
// hangs on switches). Keeps next hops per destination, so that asking for many routes is cheap.
// Copyable reference holder: `topology` must outlive it.
class Router {
 public:
  Router(const Topology& topology, const Network& network);
  ~Router();
  Router(Router&&) noexcept;

  // From `from` to `to` along shortest paths (fewest links; NVLink before PCIe before network
  // inside a host), chosen by network.routing. `queue_pairs` connections are hashed separately and
  // share the flow evenly. Empty links when from == to; asserts that a path exists (the topology
  // reader refuses disconnected graphs).
  Route route(DeviceId from, DeviceId to, int queue_pairs = 1) const;

  // How many equal-cost shortest paths there are.
  double paths(DeviceId from, DeviceId to) const;

 private:
  struct Tables;
  std::unique_ptr<Tables> tables_;
};

// Deterministic 64-bit mix used for ECMP; spreads uniformly (oracle D-8).
std::uint64_t hash_connection(const ConnectionKey& key, std::uint64_t seed, std::uint64_t hop);

// Share of the raw rate left for payload: MTU / (MTU + 82) for RoCEv2, MTU / (MTU + 26) for
// InfiniBand (models.md 2.4), MTU / (MTU + 78) for TCP over Ethernet.
double framing_efficiency(NetworkProtocol protocol, int mtu);

}  // namespace quintet
