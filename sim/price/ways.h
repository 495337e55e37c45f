// Parts of ways through a machine, each found once: between slots of a host, between a slot and its
// NIC, between NICs. Most ways share them with many others, and so do the plans that are predicted
// one after the other on one machine.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/host_net/host_path.h"
#include "sim/network/route/route.h"
#include "sim/plan/network.h"
#include "sim/topology/topology.h"

namespace quintet {

// One thread at a time, as its router.
class Ways {
 public:
  // The topology must outlive this and stay as it is.
  Ways(const Topology& topology, const Network& network, int queue_pairs)
      : topology_(topology),
        network_(network),
        queue_pairs_(queue_pairs),
        router_(topology, network) {}

  // Whether they are what a plan with these fields asks for.
  bool are_of(const Network& network, int queue_pairs) const {
    return network_ == network && queue_pairs_ == queue_pairs;
  }

  // Between a slot and its NIC, leg by leg; none where the slot has no NIC.
  struct HostWay {
    std::vector<Route> legs;
    DeviceId nic;
    Seconds latency;  // beside the legs'
  };
  const HostWay& host_way(DeviceId slot, WireMemory memory, Direction direction);
  HostWay legs_of(const HostPath& host, Direction direction) const;

  // Empty between a device and itself.
  const Route& inside(DeviceId from, DeviceId to);
  const Route& wire(DeviceId from, DeviceId to);  // all queue pairs together

  const Topology& topology() const { return topology_; }
  const Router& router() const { return router_; }

 private:
  using Routes = std::unordered_map<std::uint64_t, Route>;  // by both ends
  const Route& known(Routes& routes, DeviceId from, DeviceId to, int queue_pairs) const;

  const Topology& topology_;
  Network network_;
  int queue_pairs_;
  Router router_;
  // By memory and direction: all that are known, and by device which of these is its own; -1: none.
  struct HostWays {
    std::deque<HostWay> all;
    std::vector<std::int32_t> of_device;
  };
  std::array<HostWays, 4> host_ways_;
  Routes inside_, wires_;
};

// The ways of one machine by the plans' ways of routing, kept from one prediction to the next.
class KnownWays {
 public:
  // The topology must outlive this and stay as it is.
  explicit KnownWays(const Topology& topology) : topology_(topology) {}

  bool are_on(const Topology& topology) const { return &topology_ == &topology; }
  // Valid until the next question: only the last few are kept.
  Ways& of(const Network& network, int queue_pairs);

 private:
  const Topology& topology_;
  std::list<Ways> ways_;  // those asked for last come first
};

// As many as there are threads that use them at one time.
class WaysPool {
 public:
  // The topology must outlive this and stay as it is.
  explicit WaysPool(const Topology& topology) : topology_(topology) {}

  // Calls use(ways) with what no other thread has meanwhile.
  template <class Use>
  auto lend(Use use) {
    struct Lent {
      WaysPool& pool;
      std::unique_ptr<KnownWays> ways;
      ~Lent() { pool.give_back(std::move(ways)); }
    } lent{*this, take()};
    return use(*lent.ways);
  }

 private:
  std::unique_ptr<KnownWays> take();
  void give_back(std::unique_ptr<KnownWays> ways);

  const Topology& topology_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<KnownWays>> idle_;
};

}  // namespace quintet
