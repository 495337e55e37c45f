// A cluster that this machine pretends to be: every host of a topology that holds a rank becomes a
// set of namespaces of this kernel (network, processes, shared memory, host name), every switch on
// their ways a network namespace that forwards, every cable a pair of virtual interfaces with the
// links' rates (tbf) and, from `delayed_from` on, their latencies. So ranks meet the network the
// simulator knows.
//
// - Ranks of one host share its namespaces and may share memory; ranks of different hosts cannot.
// - Messages take the links that sim/network/route gives, one path per pair of hosts. A host with
//   more NICs has an interface for each, with an address and cable of its own: a rank's own NIC, by
//   the simulator's account, comes first; the others lead to the other ranks' others.
// - Everything goes over the shaped links, the rendezvous too (about a kilobyte per second and
//   rank): so a cut link silences the heartbeats of the ranks behind it,
//   unless their host has another.
// - What is inside a host (NVLink, PCIe, memory) has this machine's speed, not the topology's.
// - Nothing has a name outside, so nothing is left after any end, kill -9 of the owner included.
//
// Needs root or unprivileged user namespaces, and the programs `ip` and `tc` (Debian: iproute2).
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/launch/process.h"
#include "engine/launch/rendezvous/rendezvous_socket.h"
#include "sim/base/ids.h"
#include "sim/base/result.h"
#include "sim/plan/network.h"
#include "sim/topology/topology.h"

namespace quintet::engine {

struct LinkDelay {
  LinkId link;
  Seconds delay;
};

struct EmulatedClusterOptions {
  // The plan's: which way messages go, and the payload of a packet.
  Network network;
  // Faster links are refused: two cores carry 8 Gbit/s at best, and 5 Gbit/s well.
  Bandwidth fastest{10e9 / 8};
  // Links below it are given no delay: what the kernel itself takes for a hop is about as much.
  Seconds delayed_from{75e-6};
  // What set_delay() may add to a link's latency at most; others keep theirs.
  std::vector<LinkDelay> more_delay{};
};

struct RankPlace {
  std::string host;       // the topology's name of it, which is also what gethostname() says there
  std::string address;    // "10.77.0.3"; ranks of one host have the same
  std::string interface;  // "nic0"
  // The host's other interfaces have one each, in the order in which ranks take them where this one
  // fails.
  std::vector<std::string> spare_addresses{};
  bool operator==(const RankPlace&) const = default;
};

class EmulatedCluster {
 public:
  // `slots`: where each rank lives, as rank_slots(topology) lists them. Errors name the link, host
  // or right that is in the way.
  static Result<std::unique_ptr<EmulatedCluster>> make(const Topology& topology,
                                                       const std::vector<DeviceId>& slots,
                                                       const EmulatedClusterOptions& options = {});
  // Ends every process inside, and waits for those started that nobody has waited for.
  ~EmulatedCluster();

  const RankPlace& place(Rank rank) const;
  // What of the topology or the routing it does not do, a sentence each.
  const std::vector<std::string>& deviations() const;

  // Starts a program on the rank's host, in the caller's working directory. The process is a child
  // of the caller, to be waited for as any other, and dies with the emulated cluster. Mounts made
  // outside later are not seen inside.
  Result<pid_t> start(Rank rank, const ProcessStart& process);

  // A listening socket on the rank's host that the caller, who is outside, can accept from: for a
  // rendezvous that the starter of the ranks holds.
  struct Listening {
    Descriptor socket;
    SocketAddress address;  // as ranks see it
  };
  Result<Listening> listen(Rank rank);
  Result<Listening> listen(Rank rank, const std::string& address);  // one of its host's

  // While it runs. Each names a direction by its link; cutting and joining does both directions of
  // the cable. Nothing comes back when it was done.
  std::optional<Error> cut(LinkId link);
  std::optional<Error> join(LinkId link);
  std::optional<Error> set_rate(LinkId link, Bandwidth rate);
  // In all, of a link that is delayed or may be (EmulatedClusterOptions::more_delay); what is below
  // `delayed_from` is none. What is on its way is delayed anew, and stays in order.
  std::optional<Error> set_delay(LinkId link, Seconds delay);
  // The rank's processes may run this share of the time, in slices of 10 ms; 1: always.
  std::optional<Error> slow(Rank rank, double share);

  // The links that are there: those on the ways between ranks.
  const std::vector<LinkId>& links() const;

 private:
  struct Inside;
  explicit EmulatedCluster(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

}  // namespace quintet::engine
