// Small machines wired by hand, for tests of routes; rates and latencies are round numbers.
#pragma once

#include <string>
#include <vector>

#include "sim/topology/topology.h"

namespace quintet {

struct Wiring {
  Topology topology;

  DeviceId add(DeviceKind kind, int ordinal, int tier = 0) {
    const DeviceId id = id_at<DeviceId>(topology.devices.size());
    topology.devices.push_back(
        {kind, "device" + std::to_string(topology.devices.size()), {}, ordinal, tier, {}});
    topology.outgoing.emplace_back();
    return id;
  }

  std::vector<DeviceId> add_many(DeviceKind kind, int count, int tier = 0) {
    std::vector<DeviceId> added;
    for (int i = 0; i < count; ++i) added.push_back(add(kind, i, tier));
    return added;
  }

  // Both directions; returns the first, the other comes right after it.
  LinkId join(DeviceId left, DeviceId right, LinkKind kind, double latency = 1e-6) {
    const LinkId there = connect(left, right, kind, latency);
    connect(right, left, kind, latency);
    return there;
  }

 private:
  LinkId connect(DeviceId from, DeviceId to, LinkKind kind, double latency) {
    const LinkId id = id_at<LinkId>(topology.links.size());
    topology.links.push_back({from, to, kind, {50e9}, {latency}, {}});
    topology.outgoing[from.index()].push_back(id);
    return id;
  }
};

// Leaves with `below` devices each; every leaf joined to every spine by `cables`.
struct LeafSpine {
  Wiring wiring;
  std::vector<DeviceId> ends, leaves, spines;

  LeafSpine(int leaf_count, int below, int spine_count, int cables = 1, double latency = 1e-6,
            DeviceKind end_kind = DeviceKind::nic) {
    ends = wiring.add_many(end_kind, leaf_count * below);
    leaves = wiring.add_many(DeviceKind::network_switch, leaf_count, 1);
    spines = wiring.add_many(DeviceKind::network_switch, spine_count, 2);
    for (std::size_t end = 0; end < ends.size(); ++end)
      wiring.join(ends[end], leaves[end / static_cast<std::size_t>(below)], LinkKind::network,
                  latency);
    for (const DeviceId leaf : leaves)
      for (const DeviceId spine : spines)
        for (int cable = 0; cable < cables; ++cable)
          wiring.join(leaf, spine, LinkKind::network, latency);
  }

  const Topology& topology() const { return wiring.topology; }
};

//   gpu i -- each nvswitch; gpu i, nic i -- pcie i/2; pcie switches -- cpu
struct SmallHost {
  std::vector<DeviceId> gpus, nvswitches, pcie, nics;
  DeviceId cpu;

  SmallHost(Wiring& wiring, int gpu_count, int nvswitch_count) {
    gpus = wiring.add_many(DeviceKind::gpu, gpu_count);
    nvswitches = wiring.add_many(DeviceKind::nvswitch, nvswitch_count);
    pcie = wiring.add_many(DeviceKind::pcie_switch, gpu_count / 2);
    nics = wiring.add_many(DeviceKind::nic, gpu_count);
    cpu = wiring.add(DeviceKind::cpu, 0);
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      for (const DeviceId nvswitch : nvswitches) wiring.join(gpus[i], nvswitch, LinkKind::nvlink);
      wiring.join(gpus[i], pcie[i / 2], LinkKind::pcie);
      wiring.join(nics[i], pcie[i / 2], LinkKind::pcie);
    }
    for (const DeviceId above : pcie) wiring.join(above, cpu, LinkKind::pcie);
  }
};

// NIC i of every host on leaf i of its group; every leaf joined to every spine once. Spines: 0 for
// rails that do not meet.
struct RailOptimised {
  Wiring wiring;
  std::vector<SmallHost> hosts;
  std::vector<DeviceId> leaves, spines;

  RailOptimised(int host_count, int gpus, int hosts_per_leaf, int spine_count, int nvswitches = 2) {
    for (int host = 0; host < host_count; ++host) hosts.emplace_back(wiring, gpus, nvswitches);
    const int groups = (host_count + hosts_per_leaf - 1) / hosts_per_leaf;
    leaves = wiring.add_many(DeviceKind::network_switch, groups * gpus, 1);
    spines = wiring.add_many(DeviceKind::network_switch, spine_count, 2);
    for (int host = 0; host < host_count; ++host)
      for (int rail = 0; rail < gpus; ++rail)
        wiring.join(hosts[static_cast<std::size_t>(host)].nics[static_cast<std::size_t>(rail)],
                    leaves[static_cast<std::size_t>(host / hosts_per_leaf * gpus + rail)],
                    LinkKind::network);
    for (const DeviceId leaf : leaves)
      for (const DeviceId spine : spines) wiring.join(leaf, spine, LinkKind::network);
  }

  const Topology& topology() const { return wiring.topology; }
};

}  // namespace quintet
