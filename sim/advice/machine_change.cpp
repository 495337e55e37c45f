#include "sim/advice/machine_change.h"

#include <algorithm>

namespace quintet {
namespace {

int tier_of(const Topology& topology, DeviceId id) {
  const Device& device = topology.device(id);
  return device.kind == DeviceKind::network_switch ? std::max(1, device.tier) : 0;
}

std::optional<Machine> with_rates(const Machine& machine, MachinePart part, double factor) {
  Machine changed = machine;
  bool any = false;
  for (Link& link : changed.topology.links) {
    if (part_of(machine.topology, link) != part) continue;
    link.bandwidth = factor * link.bandwidth;
    any = true;
  }
  return any ? std::optional(std::move(changed)) : std::nullopt;
}

// What the table has been told of whole operators or stages says nothing of rates.
bool by_formula(const CostTable& table) {
  return table.stages.empty() && table.operators.empty() && table.curves.empty();
}

template <class Change>
std::optional<Machine> with_tables(const Machine& machine, Change change) {
  Machine changed = machine;
  const auto change_one = [&](CostTable& table) {
    if (!by_formula(table)) return false;
    change(table);
    return true;
  };
  if (!change_one(changed.costs)) return std::nullopt;
  for (CostTable& other : changed.costs.other_gpus)
    if (!change_one(other)) return std::nullopt;
  return changed;
}

std::optional<Machine> with_gpu_rate(const Machine& machine, double factor) {
  if (machine.topology.gpu_specs.empty()) return std::nullopt;
  std::optional<Machine> changed = with_tables(machine, [&](CostTable& table) {
    for (GemmCosts& gemm : table.gemm) gemm.peak = factor * gemm.peak;
  });
  if (!changed) return changed;
  for (GpuSpec& gpu : changed->topology.gpu_specs)
    for (PeakRate& peak : gpu.peaks) peak.rate = factor * peak.rate;
  return changed;
}

// The cache stays as it is, but is never slower than the memory behind it.
std::optional<Machine> with_memory_bandwidth(const Machine& machine, double factor) {
  if (machine.topology.gpu_specs.empty()) return std::nullopt;
  std::optional<Machine> changed = with_tables(machine, [&](CostTable& table) {
    table.memory_bandwidth = factor * table.memory_bandwidth;
    for (MemoryCosts& memory : table.memory) {
      memory.bandwidth = factor * memory.bandwidth;
      if (memory.cached > Bandwidth{}) memory.cached = std::max(memory.cached, memory.bandwidth);
    }
  });
  if (!changed) return changed;
  for (GpuSpec& gpu : changed->topology.gpu_specs)
    gpu.memory_bandwidth = factor * gpu.memory_bandwidth;
  return changed;
}

Machine with_latency(const Machine& machine, double factor) {
  Machine changed = machine;
  for (Link& link : changed.topology.links) link.latency = link.latency / factor;
  changed.costs.communication.latency_factor /= factor;
  for (CostTable& other : changed.costs.other_gpus) other.communication.latency_factor /= factor;
  return changed;
}

std::optional<Machine> with_launches(const Machine& machine, double factor) {
  return with_tables(machine, [&](CostTable& table) {
    LaunchCosts& launch = table.launch;
    for (Seconds* const time : {&launch.eager, &launch.graph, &launch.collective, &launch.gap})
      *time = *time / factor;
  });
}

}  // namespace

std::string_view name_of(MachinePart part) {
  switch (part) {
    case MachinePart::nvlink:
      return "NVLink rate";
    case MachinePart::pcie:
      return "PCIe rate";
    case MachinePart::nic:
      return "NIC rate";
    case MachinePart::leaf_uplinks:
      return "leaf uplinks' rate";
    case MachinePart::spine_uplinks:
      return "spine uplinks' rate";
    case MachinePart::latency:
      return "latencies";
    case MachinePart::gpu_rate:
      return "GPU peak rate";
    case MachinePart::memory_bandwidth:
      return "GPU memory bandwidth";
    case MachinePart::launches:
      return "kernel launches";
  }
  return {};
}

std::optional<MachinePart> part_of(const Topology& topology, const Link& link) {
  switch (link.kind) {
    case LinkKind::nvlink:
      return MachinePart::nvlink;
    case LinkKind::pcie:
      return MachinePart::pcie;
    case LinkKind::socket:
      return std::nullopt;
    case LinkKind::network:
      break;
  }
  const int lower = std::min(tier_of(topology, link.from), tier_of(topology, link.to));
  if (lower == 0) return MachinePart::nic;
  return lower == 1 ? MachinePart::leaf_uplinks : MachinePart::spine_uplinks;
}

std::optional<Machine> with_part(const Machine& machine, MachinePart part, double factor) {
  switch (part) {
    case MachinePart::nvlink:
    case MachinePart::pcie:
    case MachinePart::nic:
    case MachinePart::leaf_uplinks:
    case MachinePart::spine_uplinks:
      return with_rates(machine, part, factor);
    case MachinePart::latency:
      return with_latency(machine, factor);
    case MachinePart::gpu_rate:
      return with_gpu_rate(machine, factor);
    case MachinePart::memory_bandwidth:
      return with_memory_bandwidth(machine, factor);
    case MachinePart::launches:
      return with_launches(machine, factor);
  }
  return std::nullopt;
}

}  // namespace quintet
