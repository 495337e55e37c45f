#include "sim/topology/circuits.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "sim/topology/host_layout.h"
#include "tests/support/small_worlds.h"

namespace quintet {
namespace {

using test::built;
using test::gpu_host;

std::string circuits(const std::string& fields) {
  return R"({"family": "direct_connect", "protocol": "roce",
             "switch": {"name": "node", "ports": 16, "power": "0 W", "source": "test"},
             "host_link": {"name": "own", "latency": "0 us", "source": "test"},
             "circuit": {"name": "fibre", "latency": "1 us", "source": "test"}, )" +
         fields + "}";
}

std::vector<HostId> hosts_from(int first, int count) {
  std::vector<HostId> hosts;
  for (int host = first; host < first + count; ++host)
    hosts.push_back(id_at<HostId>(static_cast<std::size_t>(host)));
  return hosts;
}

// TotientPerms of TopoOpt (NSDI'23): as many as numbers below n without a common divisor, each a
// ring over all hosts, no two with an edge in common.
TEST(Circuits, OfTotientStridesAreHamiltonianRingsWithoutCommonEdges) {
  for (const auto& [hosts, count] : {std::pair{12, 4u}, {16, 8u}, {13, 12u}, {128, 64u}}) {
    const std::vector<int> strides = totient_strides(hosts);
    ASSERT_EQ(strides.size(), count);
    std::set<std::pair<int, int>> edges;
    for (const int stride : strides) {
      std::set<int> visited;
      for (int host = 0; visited.insert(host).second; host = (host + stride) % hosts)
        EXPECT_TRUE(edges.emplace(host, (host + stride) % hosts).second);
      EXPECT_EQ(visited.size(), static_cast<std::size_t>(hosts)) << stride;
    }
  }
  EXPECT_TRUE(totient_strides(1).empty());
}

// 128^(i/4) for i of 0 to 3: 1, 3.36, 11.3, 38.05. The nearest odd numbers: 1, 3, 11, 39 (38 is
// even, 37 is farther).
TEST(Circuits, AreChosenNearAGeometricSequence) {
  EXPECT_EQ(select_strides(128, 4), (std::vector<int>{1, 3, 11, 39}));
  EXPECT_EQ(select_strides(2, 3), (std::vector<int>{1, 1, 1}));  // there is no other
  EXPECT_TRUE(select_strides(1, 2).empty());
}

// Three circuits leave each of 16 hosts of four NICs; a circuit is a cable that carries one way.
TEST(DirectConnect, JoinsHostsByTheirStrides) {
  const Topology topology = built(gpu_host(4, 4), 16, circuits(R"("strides": [1, 3, 7])"));
  EXPECT_EQ(test::count(topology, DeviceKind::network_switch, 1), 16);
  EXPECT_EQ(test::trunks(topology), 3 * 16);
  EXPECT_EQ(topology.network.circuits, 3);
  EXPECT_EQ(topology.network.family, "direct_connect");
  EXPECT_EQ(ring_strides(topology, hosts_from(0, 16)), (std::vector<int>{1, 3, 7}));
  EXPECT_TRUE(ring_strides(topology, hosts_from(0, 8)).empty());
}

TEST(DirectConnect, ChoosesStridesByTheNumberOfRings) {
  const Topology topology = built(gpu_host(4, 4), 16, circuits(R"("rings": 4)"));
  EXPECT_EQ(ring_strides(topology, hosts_from(0, 16)), select_strides(16, 4));
}

// Two blocks of five: a ring of each in its own, and circuits 0 <-> 5, 1 <-> 6 and so on.
TEST(DirectConnect, GivesEachBlockRingsOfItsOwn) {
  const Topology topology =
      built(gpu_host(4, 4), 10, circuits(R"("strides": [1, 2], "block": 5, "chain": 1)"));
  EXPECT_EQ(test::trunks(topology), 2 * 10 + 2 * 5);
  for (const int first : {0, 5})
    EXPECT_EQ(ring_strides(topology, hosts_from(first, 5)), (std::vector<int>{1, 2}));
  EXPECT_EQ(topology.network.circuits, 3);
}

// Two blocks of three, two circuits a neighbour: side by side in rings, too.
TEST(DirectConnect, CountsCircuitsSideBySide) {
  const Topology topology = built(gpu_host(4, 4), 2, circuits(R"("rings": 3)"));
  EXPECT_EQ(ring_strides(topology, hosts_from(0, 2)), (std::vector<int>{1, 1, 1}));
}

TEST(DirectConnect, TellsAGroupItsStrides) {
  const Topology topology = built(gpu_host(4, 4), 5, circuits(R"("strides": [2, 3])"));
  std::vector<DeviceId> firsts;
  for (const Host& host : topology.hosts) firsts.push_back(host.gpus.front());
  EXPECT_EQ(host_layout(topology, firsts).strides, (std::vector<int>{2, 3}));
}

TEST(DirectConnect, RefusesWhatItHasNoPlaceFor) {
  const auto refused = [](int hosts, const std::string& fields) {
    const Result<Topology> topology =
        test::parsed(test::machine(gpu_host(4, 4), hosts, circuits(fields)));
    EXPECT_FALSE(topology.has_value());
    return topology ? Error{} : topology.error();
  };
  EXPECT_EQ(refused(16, R"("strides": [1, 4])"),
            (Error{"test.json: network.strides[1]",
                   "4 visits only 4 of 16 hosts; use one without a divisor in common with 16"}));
  EXPECT_EQ(refused(16, R"("rings": 5)"),
            (Error{"test.json: network.rings",
                   "5 circuits would leave a host of 4 NICs: use 1 to 4, rings and both ways of "
                   "the chain together"}));
  EXPECT_EQ(refused(16, R"("rings": 2, "block": 5)"),
            (Error{"test.json: network.block", "5 does not divide the 16 hosts"}));
  EXPECT_EQ(refused(16, R"("rings": 2, "block": 8)").where, "test.json: network.chain");
  EXPECT_NE(refused(16, R"("rings": 2, "strides": [1])").what.find("give one of them"),
            std::string::npos);
}

// Servers have a processor and a NIC, and no places for ranks.
TEST(Servers, AreHostsOfNoSlots) {
  std::string server = test::cpu_host();
  server.replace(server.find("\"slots\": 1"), 10, "\"slots\": 0");
  const std::string text = R"({"name": "m", "host_groups": [{"hosts": 2, "host": )" +
                           gpu_host(4, 1) + R"(}, {"hosts": 3, "host": )" + server +
                           R"(}], "network": )" + test::tree("single_switch", 16) + "}";
  const Result<Topology> topology = test::parsed(text);
  ASSERT_TRUE(topology.has_value()) << topology.error().text();
  EXPECT_EQ(rank_slots(*topology).size(), 8u);
  const HostLayout layout = host_layout(*topology, rank_slots(*topology));
  ASSERT_EQ(layout.servers.size(), 3u);
  EXPECT_EQ(topology->device(layout.servers[0]).name, "host2/cpu0");
  EXPECT_EQ(topology->device(nic_of(*topology, layout.servers[2])).name, "host4/nic0");
}

TEST(Servers, AloneAreNoMachine) {
  std::string server = test::cpu_host();
  server.replace(server.find("\"slots\": 1"), 10, "\"slots\": 0");
  EXPECT_FALSE(test::parsed(test::machine(server, 2, test::tree("single_switch", 16))));
}

}  // namespace
}  // namespace quintet
