#include <gtest/gtest.h>

#include "sim/topology/describe/bisection.h"
#include "sim/topology/describe/paths.h"
#include "tests/support/small_worlds.h"
#include "tests/support/torus.h"

namespace quintet {
namespace {

using test::built;
using test::cpu_host;
using test::torus;

// A node a host, and to each node a cable in each of three dimensions.
TEST(Torus, HasANodeForEachHostAndSixCablesAtEach) {
  const Topology topology = built(cpu_host(), 64, torus(4, 4, 4));
  EXPECT_EQ(test::count(topology, DeviceKind::network_switch, 1), 64);
  EXPECT_EQ(test::trunks(topology), 3 * 64);
  const DeviceId node = test::device(topology, "node(3,0,2)");
  EXPECT_EQ(topology.outgoing[node.index()].size(), 6u + 1u);
  EXPECT_EQ(topology.network_power, Watts{640});
  EXPECT_EQ(topology.network.family, "torus");
}

// Dally and Towles, "Principles and Practices of Interconnection Networks" (2004), chapter 5: a
// k-ary n-cube has a bisection of 2 k^(n-1) channels each way, k even. Here 2 x 4^2 x 25 GB/s = 800
// GB/s, less than the 32 x 50 GB/s of half of the hosts; for k = 2 2 x 2^2 x 25 = 4 x 50 GB/s.
TEST(Torus, HasABisectionOfTwiceTheSquareOfItsWidth) {
  for (const auto& [width, expected] : {std::pair{4, 800e9}, std::pair{2, 200e9}}) {
    const Topology topology = built(cpu_host(), width * width * width, torus(width, width, width));
    EXPECT_EQ(topology.network.bisection, Bandwidth{expected});
    EXPECT_EQ(bisection_by_flow(topology), Bandwidth{expected});
  }
}

// Halves of the last dimension that is there: 2 cables for each of 6 rows in y.
TEST(Torus, OfFewerDimensionsIsCutInItsLast) {
  const Topology topology = built(cpu_host(), 24, torus(6, 4, 1, 5));
  EXPECT_EQ(test::trunks(topology), 2 * 24);
  EXPECT_EQ(topology.network.bisection, Bandwidth{2 * 6 * 25e9});
  EXPECT_EQ(bisection_by_flow(topology), Bandwidth{2 * 6 * 25e9});
  // Three rows of z are not halved by host.
  EXPECT_EQ(built(cpu_host(), 12, torus(2, 2, 3)).network.bisection, Bandwidth{});
}

// Half of the width in each dimension, and the cables of the two NICs.
TEST(Torus, HasADiameterOfHalfItsWidths) {
  EXPECT_EQ(network_diameter(built(cpu_host(), 64, torus(4, 4, 4))), 6 + 2);
  EXPECT_EQ(network_diameter(built(cpu_host(), 30, torus(5, 3, 2))), 2 + 1 + 1 + 2);
}

std::vector<std::string> devices_on(const Topology& topology, const std::vector<LinkId>& path) {
  std::vector<std::string> names;
  for (const LinkId link : path)
    if (topology.device(topology.link(link).to).kind == DeviceKind::network_switch)
      names.push_back(topology.device(topology.link(link).to).name);
  return names;
}

// Host 30 is (2, 3, 1): two steps in x, alike both ways, so forwards; one back in y; one in z.
TEST(Torus, ShowsThePathByDimensions) {
  const Topology topology = built(cpu_host(), 64, torus(4, 4, 4));
  EXPECT_EQ(devices_on(topology, shortest_path(topology, test::device(topology, "host0/cpu0"),
                                               test::device(topology, "host30/cpu0"))),
            (std::vector<std::string>{"node(0,0,0)", "node(1,0,0)", "node(2,0,0)", "node(2,3,0)",
                                      "node(2,3,1)"}));
}

Error refused(int hosts, const std::string& network) {
  const Result<Topology> topology = test::parsed(test::machine(cpu_host(), hosts, network));
  EXPECT_FALSE(topology.has_value());
  return topology ? Error{} : topology.error();
}

TEST(Torus, RefusesWhatItHasNoPlaceFor) {
  EXPECT_EQ(
      refused(8, torus(2, 2, 3)),
      (Error{"test.json: hosts", "expected as many as the torus has nodes, 2 x 2 x 3, found 8"}));
  EXPECT_EQ(refused(64, torus(4, 4, 4, 6)), (Error{"test.json: network.switch.ports",
                                                   "7 cables meet on a switch that has 6 ports"}));
  std::string two = torus(2, 2, 2);
  const std::string row = two.substr(two.find("{\"name\": \"cable\", \"bandwidth\""));
  two.erase(two.size() - 2 - (row.find('}') + 3), row.find('}') + 3);
  EXPECT_EQ(refused(4, two),
            (Error{"test.json: network.dimensions", "expected three: x, y and z"}));
}

}  // namespace
}  // namespace quintet
