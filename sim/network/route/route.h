// Flow -> links through the topology's graph. Pure; all equal-cost shortest paths are candidates.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/base/ids.h"
#include "sim/plan/network.h"
#include "sim/topology/route.h"
#include "sim/topology/topology.h"

namespace quintet {

// Identifies a connection to the hash: equal keys take equal paths.
struct ConnectionKey {
  std::uint64_t source = 0, destination = 0;  // rank slots or devices
  std::uint64_t queue_pair = 0;
};

// Which ways there are (all cheapest ones are candidates):
//   - inside a host, or wherever devices are joined by links other than network links: fewest links
//     that are not NVLink, then fewest links. NVSwitches, PCIe switches and CPUs forward; GPUs and
//     NICs do not. What is equally near is used evenly, as NVLink stripes over its switches;
//   - between hosts: out by the access (NIC) nearest to the source, in by the one nearest to the
//     destination, as NCCL picks NICs, then fewest network links. Only network switches forward, so
//     two NICs are joined by switches alone. Farther NICs serve where the nearest are not
//     connected.
// How the candidates of the second part are used (Network::routing):
//   - ecmp: each queue pair hashed at every hop on (source, destination, queue pair);
//   - rail_pinned: the fabric's own static route where it has one (NetworkFamily::way), else up by
//     destination number / (choices below) mod choices, down over parallel cables by source number
//     mod cables (D-mod-K); numbers count accesses leaf by leaf, so shift permutations do not
//     collide. All queue pairs take one way;
//   - spray: a fluid split, evenly at each hop. Shares say what crosses a link per unit of flow;
//   the
//     caller applies Network::spray_efficiency by dividing the shares of network links by it.
//
// Keeps what it has learnt per destination, so asking for many routes is cheap; therefore one
// thread at a time. Holds a reference: `topology` must outlive it.
class Router {
 public:
  Router(const Topology& topology, const Network& network);
  ~Router();
  Router(Router&&) noexcept;

  // `queue_pairs` connections share the flow evenly; each link once. Empty links when from == to;
  // asserts that a path exists (the topology reader refuses disconnected graphs).
  Route route(DeviceId from, DeviceId to, int queue_pairs = 1) const;

  // How many equal-cost shortest paths there are.
  double paths(DeviceId from, DeviceId to) const;

 private:
  struct Tables;
  std::unique_ptr<Tables> tables_;
};

// Deterministic 64-bit mix used for ECMP; spreads uniformly (oracle D-8).
std::uint64_t hash_connection(const ConnectionKey& key, std::uint64_t seed, std::uint64_t hop);

}  // namespace quintet
