#include "sim/host_net/processors.h"

#include <algorithm>

namespace quintet {
namespace {

int cores_of(const Topology& topology, HostId host) {
  return topology.host_specs[static_cast<std::size_t>(topology.host(host).spec)].cores;
}

}  // namespace

CorePools::CorePools(const Topology& topology, const CostTable& costs,
                     std::span<const DeviceId> slots) {
  if (!costs.processors) return;
  const ProcessorCosts& processors = *costs.processors;
  first_ = static_cast<std::int32_t>(topology.links.size());
  link_of_device_.assign(topology.devices.size(), -1);
  std::vector<std::int32_t> pool_of_host(topology.hosts.size(), -1);
  for (const DeviceId slot : rank_slots(topology)) {
    const Device& device = topology.device(slot);
    if (device.kind != DeviceKind::cpu) continue;
    std::int32_t& pool = pool_of_host[processors.cores > 0 ? 0 : device.host.index()];
    if (pool < 0) {
      const int cores = processors.cores > 0 ? processors.cores : cores_of(topology, device.host);
      pool = first_ + static_cast<std::int32_t>(pools_.size());
      pools_.push_back({cores, 0, {processors.usable * cores * processors.message_rate.value}});
    }
    link_of_device_[slot.index()] = pool;
  }
  for (const DeviceId slot : slots)
    if (const std::int32_t link = link_of(slot); link >= 0)
      ++pools_[static_cast<std::size_t>(link - first_)].ranks;
}

const CorePool* CorePools::pool_of(DeviceId device) const {
  const std::int32_t link = link_of(device);
  return link < 0 ? nullptr : &pools_[static_cast<std::size_t>(link - first_)];
}

void CorePools::load_ends(Route& route, DeviceId from, DeviceId to) const {
  for (const DeviceId end : {from, to})
    if (const std::int32_t cores = link_of(end); cores >= 0)
      route.links.push_back({LinkId{cores}, 0.5});
}

bool CorePools::crowd(std::span<const DeviceId> slots) const {
  return std::any_of(slots.begin(), slots.end(), [&](DeviceId slot) {
    const CorePool* const pool = pool_of(slot);
    return pool != nullptr && pool->ranks > pool->cores;
  });
}

MessageLatency processor_message_latency(const CostTable& costs) {
  if (!costs.processors) return {};
  const ProcessorCosts& processors = *costs.processors;
  return {processors.message_latency,
          std::max(Seconds{}, processors.crowded_latency - processors.message_latency)};
}

double processor_message_work(const CostTable& costs, double messages, Bytes size, double moved) {
  if (!costs.processors || size <= Bytes{} || moved <= 0) return 1;
  const ProcessorCosts& processors = *costs.processors;
  const Bytes worth = processors.message_rate * (messages * processors.message_work);
  return 1 + worth / (moved * size);
}

}  // namespace quintet
