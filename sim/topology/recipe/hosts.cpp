#include "sim/topology/recipe/hosts.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace quintet {
namespace {

// What one host adds devices through: keeps their names and places.
class HostBuilder {
 public:
  HostBuilder(DeviceGraph& graph, const HostRecipe& recipe, int number)
      : graph_(graph), recipe_(recipe), number_(number) {}

  DeviceId device(DeviceKind kind, const char* name, int ordinal, const Part& part) {
    return graph_.add({kind, fmt::format("host{}/{}{}", number_, name, ordinal),
                       id_at<HostId>(static_cast<std::size_t>(number_)), ordinal, 0,
                       graph_.part(part)});
  }

  std::vector<DeviceId> devices(DeviceKind kind, const char* name, int count, const Part& part) {
    std::vector<DeviceId> added;
    for (int i = 0; i < count; ++i) added.push_back(device(kind, name, i, part));
    return added;
  }

  // Number i of `count` lands on switch i * switches / count.
  void hang(const std::vector<DeviceId>& devices, const std::vector<DeviceId>& above, LinkKind kind,
            const WireRecipe& wire) {
    for (std::size_t i = 0; i < devices.size(); ++i)
      graph_.connect(devices[i], above[i * above.size() / devices.size()], kind, wire);
  }

  void join_pairwise(const std::vector<DeviceId>& devices, const WireRecipe& wire) {
    for (std::size_t i = 0; i < devices.size(); ++i)
      for (std::size_t j = i + 1; j < devices.size(); ++j)
        graph_.connect(devices[i], devices[j], LinkKind::socket, wire);
  }

  void nvlinks(const std::vector<DeviceId>& gpus) {
    if (!recipe_.nvlink) return;
    WireRecipe port = *recipe_.nvlink;
    port.bandwidth = port.bandwidth / recipe_.nvswitches;
    const std::vector<DeviceId> switches =
        devices(DeviceKind::nvswitch, "nvswitch", recipe_.nvswitches, port.part);
    for (const DeviceId gpu : gpus)
      for (const DeviceId nvswitch : switches)
        graph_.connect(gpu, nvswitch, LinkKind::nvlink, port);
  }

 private:
  DeviceGraph& graph_;
  const HostRecipe& recipe_;
  int number_;
};

Part cpu_part(const HostRecipe& host) {
  return {host.spec.name, host.spec.source};
}

Host named_host(int number, int spec) {
  return {fmt::format("host{}", number), spec, {}, {}};
}

Host add_gpu_host(DeviceGraph& graph, const HostRecipe& host, int number, int spec) {
  HostBuilder builder(graph, host, number);
  Host added = named_host(number, spec);
  added.gpus =
      builder.devices(DeviceKind::gpu, "gpu", host.slots, {host.gpu->name, host.gpu->source});
  builder.nvlinks(added.gpus);
  const std::vector<DeviceId> pcie =
      builder.devices(DeviceKind::pcie_switch, "pcie", host.pcie_switches, host.pcie.part);
  added.nics = builder.devices(DeviceKind::nic, "nic", host.nics, host.nic.part);
  const std::vector<DeviceId> cpus =
      builder.devices(DeviceKind::cpu, "cpu", host.spec.sockets, cpu_part(host));
  builder.hang(added.gpus, pcie, LinkKind::pcie, host.pcie);
  builder.hang(added.nics, pcie, LinkKind::pcie, host.pcie);
  builder.hang(pcie, cpus, LinkKind::pcie, host.upstream);
  builder.join_pairwise(cpus, host.socket);
  return added;
}

// A host without rank slots still has what adds.
int cpus_of(const HostRecipe& host) {
  return std::max(1, host.slots);
}

Host add_cpu_host(DeviceGraph& graph, const HostRecipe& host, int number, int spec) {
  HostBuilder builder(graph, host, number);
  Host added = named_host(number, spec);
  const std::vector<DeviceId> cpus =
      builder.devices(DeviceKind::cpu, "cpu", cpus_of(host), cpu_part(host));
  if (host.slots > 0) added.gpus = cpus;
  const std::vector<DeviceId> bus =
      builder.devices(DeviceKind::pcie_switch, "bus", 1, host.upstream.part);
  added.nics = builder.devices(DeviceKind::nic, "nic", host.nics, host.nic.part);
  builder.hang(cpus, bus, LinkKind::pcie, host.upstream);
  builder.hang(added.nics, bus, LinkKind::pcie, host.pcie);
  return added;
}

}  // namespace

HostSize host_size(const HostRecipe& host) {
  const std::int64_t slots = host.slots;
  const std::int64_t sockets = host.spec.sockets;
  switch (host.family) {
    case HostFamily::gpu:
      return {slots + host.nvswitches + host.pcie_switches + host.nics + sockets,
              2 * (slots * host.nvswitches + slots + host.nics + host.pcie_switches +
                   sockets * (sockets - 1) / 2)};
    case HostFamily::cpu:
      return {cpus_of(host) + host.nics + 1, 2 * (std::int64_t{cpus_of(host)} + host.nics)};
    case HostFamily::custom:
      return {};
  }
  return {};
}

Host add_host(DeviceGraph& graph, const HostRecipe& host, int number, int spec) {
  switch (host.family) {
    case HostFamily::gpu:
      return add_gpu_host(graph, host, number, spec);
    case HostFamily::cpu:
      return add_cpu_host(graph, host, number, spec);
    case HostFamily::custom:
      return named_host(number, spec);
  }
  return {};
}

}  // namespace quintet
