#include <gtest/gtest.h>

#include "sim/topology/describe/bisection.h"
#include "sim/topology/describe/paths.h"
#include "tests/support/small_worlds.h"

namespace quintet {
namespace {

using test::device;

// hosts h on switch s<h>, switches in a chain; `middle` describes the link s0-s1.
std::string chain(const std::string& middle) {
  return R"({"family": "explicit", "protocol": "roce", "parts": {"wire": "test"},
    "devices": [{"name": "s0", "kind": "network_switch", "part": "wire", "power": "10 W"},
                {"name": "s1", "kind": "network_switch", "part": "wire", "tier": 2}],
    "links": [{"from": "host0/nic0", "to": "s0", "bandwidth": "50 GB/s", "latency": "1 us",
               "part": "wire"},
              {"from": "host1/nic0", "to": "s1", "bandwidth": "50 GB/s", "latency": "1 us",
               "part": "wire"},
              {"from": "s0", "to": "s1", "part": "wire", )" +
         middle + "}]}";
}

TEST(ExplicitGraph, AddsExtraLatencyBothWays) {
  const Topology topology =
      test::built(test::cpu_host(), 2,
                  chain(R"("bandwidth": "20 GB/s", "latency": "1 us", "extra_latency": "10 ms")"));
  const Link& there = topology.links[topology.links.size() - 2];
  const Link& back = topology.links.back();
  EXPECT_EQ(there.latency, back.latency);
  EXPECT_DOUBLE_EQ(there.latency.value, 0.010001);
  EXPECT_EQ(there.bandwidth, Bandwidth{20e9});
  EXPECT_EQ(topology.network_power, Watts{10});
  EXPECT_EQ(bisection_by_flow(topology), Bandwidth{20e9});
}

// Host 0 sends over the slow direction, which bounds the flow from the first half to the second.
TEST(ExplicitGraph, MayHaveDirectionsThatDiffer) {
  const Topology topology =
      test::built(test::cpu_host(), 2, chain(R"("bandwidth": "5 GB/s", "latency": "1 us",
               "back": {"bandwidth": "40 GB/s", "latency": "2 us"})"));
  const Link& back = topology.links.back();
  EXPECT_EQ(topology.device(back.from).name, "s1");
  EXPECT_EQ(back.bandwidth, Bandwidth{40e9});
  EXPECT_DOUBLE_EQ(back.latency.value, 2e-6);
  EXPECT_EQ(bisection_by_flow(topology), Bandwidth{5e9});
}

// A host whose inside is listed too: two GPUs, PCIe root, NIC.
TEST(ExplicitGraph, MayListTheInsideOfHosts) {
  const std::string host = R"({"name": "bare", "family": "custom", "power": "0 W", "source": "t",
    "cpu": {"vendor": "arm", "sockets": 1, "cores": 1, "memory": "1 GB",
            "memory_bandwidth": "1 GB/s", "source": "t"},
    "gpu": {"name": "G", "sm_version": 90, "sms": 1, "memory": "1 GB", "memory_bandwidth": "1 GB/s",
            "peaks": {"fp32": "1 TFLOP/s"}, "power": "1 W", "idle_power": "0 W", "price": "0 $/h",
            "source": "t"}})";
  const std::string network = R"({"family": "explicit", "protocol": "tcp", "parts": {"p": "t"},
    "devices": [{"name": "a", "kind": "gpu", "host": 0, "part": "p"},
                {"name": "b", "kind": "gpu", "host": 0, "part": "p"},
                {"name": "root", "kind": "pcie_switch", "host": 0, "part": "p"},
                {"name": "n", "kind": "nic", "host": 0, "part": "p"}],
    "links": [{"from": "a", "to": "root", "kind": "pcie", "bandwidth": "1 GB/s", "latency": "0 s",
               "part": "p"},
              {"from": "b", "to": "root", "kind": "pcie", "bandwidth": "1 GB/s", "latency": "0 s",
               "part": "p"},
              {"from": "n", "to": "root", "kind": "pcie", "bandwidth": "1 GB/s", "latency": "0 s",
               "part": "p"}]})";
  const Topology topology = test::built(host, 1, network);
  ASSERT_EQ(topology.hosts[0].gpus.size(), 2u);
  EXPECT_EQ(topology.device(topology.hosts[0].gpus[1]).ordinal, 1);
  EXPECT_EQ(nic_of(topology, device(topology, "b")), device(topology, "n"));
  EXPECT_EQ(shortest_path(topology, device(topology, "a"), device(topology, "b")).size(), 2u);
}

}  // namespace
}  // namespace quintet
