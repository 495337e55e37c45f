#include "tests/support/small_worlds.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/topology/describe/describe.h"
#include "sim/topology/file/topology_file.h"

namespace quintet::test {
namespace {

const std::string cpu =
    R"("power": "1 kW", "source": "test", "cpu": {"vendor": "amd", "sockets": 2, "cores": 64,
       "memory": "1 TiB", "memory_bandwidth": "400 GB/s", "source": "test"})";

std::string wire(const std::string& key, const std::string& rate, const std::string& latency,
                 const std::string& more = "") {
  return ", \"" + key + "\": {\"name\": \"" + key + "\", \"bandwidth\": \"" + rate +
         "\", \"latency\": \"" + latency + "\", \"source\": \"test\"" + more + "}";
}

std::string nic(int count) {
  return R"(, "nic": {"name": "nic", "bandwidth": "50 GB/s", "source": "test", "count": )" +
         std::to_string(count) + "}";
}

}  // namespace

std::string gpu_host(int gpus, int nics) {
  return R"({"name": "gpu host", "family": "gpu", )" + cpu +
         R"(, "gpu": {"name": "GPU", "sm_version": 80, "sms": 108, "memory": "80 GiB",
             "memory_bandwidth": "2 TB/s", "peaks": {"bf16": "312 TFLOP/s"}, "power": "400 W",
             "idle_power": "50 W", "price": "2 $/h", "source": "test", "count": )" +
         std::to_string(gpus) + "}" + wire("nvlink", "300 GB/s", "300 ns") +
         wire("pcie", "25 GB/s", "250 ns", ", \"switches\": " + std::to_string(std::min(gpus, 4))) +
         wire("socket", "16 GB/s", "100 ns") + nic(nics) + "}";
}

std::string cpu_host() {
  return R"({"name": "cpu host", "family": "cpu", "slots": 1, )" + cpu +
         wire("bus", "100 GB/s", "100 ns") + wire("pcie", "60 GB/s", "200 ns") + nic(1) + "}";
}

std::string tree(const std::string& family, int ports, const std::string& more) {
  return "{\"family\": \"" + family + R"(", "protocol": "infiniband", "switch": {"name": "switch",
             "power": "1 kW", "source": "test", "ports": )" +
         std::to_string(ports) +
         R"(}, "host_link": {"name": "cable", "latency": "1 us", "source": "test"})" +
         (family == "single_switch" ? "" : wire("trunk", "50 GB/s", "0.5 us")) + more + "}";
}

std::string machine(const std::string& host, int hosts, const std::string& network) {
  return "{\"name\": \"test machine\", \"host\": " + host +
         ", \"hosts\": " + std::to_string(hosts) +
         (network.empty() ? "" : ", \"network\": " + network) + "}";
}

Result<Topology> parsed(const std::string& text) {
  return parse_topology(text, "test.json", QUINTET_SOURCE_DIR "/topologies");
}

Topology built(const std::string& host, int hosts, const std::string& network) {
  Result<Topology> topology = parsed(machine(host, hosts, network));
  EXPECT_TRUE(topology.has_value()) << topology.error().text();
  return topology ? *topology : Topology{};
}

DeviceId device(const Topology& topology, const std::string& name) {
  const std::optional<DeviceId> found = device_named(topology, name);
  EXPECT_TRUE(found.has_value()) << name;
  return found.value_or(DeviceId{0});
}

int count(const Topology& topology, DeviceKind kind, int tier) {
  return static_cast<int>(std::count_if(
      topology.devices.begin(), topology.devices.end(),
      [&](const Device& device) { return device.kind == kind && device.tier == tier; }));
}

int trunks(const Topology& topology) {
  const auto directions =
      std::count_if(topology.links.begin(), topology.links.end(), [&](const Link& link) {
        return topology.device(link.from).kind == DeviceKind::network_switch &&
               topology.device(link.to).kind == DeviceKind::network_switch;
      });
  return static_cast<int>(directions / 2);
}

}  // namespace quintet::test
