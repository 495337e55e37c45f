#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "sim/network/route/route.h"
#include "tests/support/small_worlds.h"
#include "tests/support/torus.h"

namespace quintet {
namespace {

using test::built;
using test::cpu_host;
using test::torus;

constexpr Network pinned{Routing::rail_pinned};

std::vector<DeviceId> slots(const Topology& topology) {
  return rank_slots(topology);
}

// Cables between nodes, in order.
std::vector<LinkId> hops(const Topology& topology, const Route& route) {
  std::vector<LinkId> links;
  for (const RouteShare& use : route.links) {
    EXPECT_EQ(use.share, 1.0);
    const Link& link = topology.link(use.link);
    if (topology.device(link.from).kind == DeviceKind::network_switch &&
        topology.device(link.to).kind == DeviceKind::network_switch)
      links.push_back(use.link);
  }
  return links;
}

// Host 30 is (2, 3, 1): two steps in x, alike both ways, so forwards; one back in y; one in z.
TEST(TorusRoute, GoesByDimensionsTheShorterWayAround) {
  const Topology topology = built(cpu_host(), 64, torus(4, 4, 4));
  const Router router(topology, pinned);
  std::vector<std::string> nodes;
  for (const LinkId link : hops(topology, router.route(slots(topology)[0], slots(topology)[30])))
    nodes.push_back(topology.device(topology.link(link).to).name);
  EXPECT_EQ(nodes,
            (std::vector<std::string>{"node(1,0,0)", "node(2,0,0)", "node(2,3,0)", "node(2,3,1)"}));
}

// Dally and Towles (2004), chapter 5: of a k-ary n-cube, k even, the mean over all destinations is
// n k / 4 hops: 3 for 4 x 4 x 4, from wherever.
TEST(TorusRoute, TakesAQuarterOfTheWidthInEachDimensionInTheMean) {
  const Topology topology = built(cpu_host(), 64, torus(4, 4, 4));
  const Router router(topology, pinned);
  for (const std::size_t from : {0u, 21u, 63u}) {
    std::size_t sum = 0;
    for (const DeviceId to : slots(topology))
      sum += hops(topology, router.route(slots(topology)[from], to)).size();
    EXPECT_EQ(sum, 64u * 3u);
  }
}

// Everyone half around in x: all go forwards, over two cables each; the cables back stay empty.
TEST(TorusRoute, TakesThePositiveWayWhereBothAreAlike) {
  const Topology topology = built(cpu_host(), 4, torus(4, 1, 1));
  const Router router(topology, pinned);
  std::map<LinkId, int> load;
  for (std::size_t rank = 0; rank < 4; ++rank)
    for (const LinkId link :
         hops(topology, router.route(slots(topology)[rank], slots(topology)[(rank + 2) % 4])))
      ++load[link];
  EXPECT_EQ(load.size(), 4u);
  for (const auto& [link, flows] : load) {
    EXPECT_EQ(flows, 2);
    EXPECT_EQ(link.value % 2, 0);
  }
}

// A row of two has two cables, and each end sends over the one that leads forwards from it.
TEST(TorusRoute, UsesBothCablesOfARowOfTwo) {
  const Topology topology = built(cpu_host(), 2, torus(2, 1, 1));
  const Router router(topology, pinned);
  const std::vector<DeviceId> ends = slots(topology);
  const LinkId there = hops(topology, router.route(ends[0], ends[1])).at(0);
  const LinkId back = hops(topology, router.route(ends[1], ends[0])).at(0);
  EXPECT_NE(there.value / 2, back.value / 2);
}

// Spraying takes all shortest ways: 3! orders of three single steps.
TEST(TorusRoute, SpraysOverAllShortestWays) {
  const Topology topology = built(cpu_host(), 64, torus(4, 4, 4));
  const Router router(topology, {Routing::spray});
  EXPECT_EQ(router.paths(slots(topology)[0], slots(topology)[21]), 6.0);
  for (const RouteShare& use : router.route(slots(topology)[0], slots(topology)[21]).links) {
    if (topology.device(topology.link(use.link).from).name == "node(0,0,0)") {
      EXPECT_DOUBLE_EQ(use.share, 1.0 / 3);
    }
  }
}

}  // namespace
}  // namespace quintet
