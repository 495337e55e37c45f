#include "sim/price/core_pools.h"

namespace quintet {

namespace {

int cores_of(const Topology& topology, HostId host) {
  return topology.host_specs[static_cast<std::size_t>(topology.host(host).spec)].cores;
}

}  // namespace

CorePools core_pools(const Topology& topology, const CostTable& costs) {
  CorePools pools;
  if (!costs.processors) return pools;
  const ProcessorCosts& processors = *costs.processors;
  pools.first = static_cast<std::int32_t>(topology.links.size());
  pools.link_of_device.assign(topology.devices.size(), -1);
  std::vector<std::int32_t> pool_of_host(topology.hosts.size(), -1);
  for (const DeviceId slot : rank_slots(topology)) {
    const Device& device = topology.device(slot);
    if (device.kind != DeviceKind::cpu) continue;
    std::int32_t& pool = pool_of_host[processors.cores > 0 ? 0 : device.host.index()];
    if (pool < 0) {
      const int cores = processors.cores > 0 ? processors.cores : cores_of(topology, device.host);
      pool = pools.first + static_cast<std::int32_t>(pools.links.size());
      pools.cores.push_back(cores);
      pools.links.push_back({processors.usable * cores * processors.message_rate.value});
    }
    pools.link_of_device[slot.index()] = pool;
  }
  return pools;
}

}  // namespace quintet
