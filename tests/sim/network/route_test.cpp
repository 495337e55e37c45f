#include "sim/network/route/route.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/support/small_topologies.h"

namespace quintet {
namespace {

const Network pinned{Routing::rail_pinned};
const Network spraying{Routing::spray};

Network hashed(std::uint64_t seed) {
  return {Routing::ecmp, seed};
}

// The devices of a route that is a single path, source and destination included.
std::vector<DeviceId> devices_of(const Topology& topology, const Route& route) {
  std::vector<DeviceId> devices{topology.link(route.links.front().link).from};
  for (const RouteShare& share : route.links) {
    EXPECT_EQ(topology.link(share.link).from, devices.back());
    EXPECT_EQ(share.share, 1.0);
    devices.push_back(topology.link(share.link).to);
  }
  return devices;
}

TEST(Route, ADeviceReachesItselfWithoutLinks) {
  const LeafSpine tree(2, 2, 2);
  EXPECT_EQ(Router(tree.topology(), pinned).route(tree.ends[1], tree.ends[1]), Route{});
}

// NVLink stripes over both switches: halves; 2 links of 1 us.
TEST(Route, GpusOfAHostTalkOverAllNvswitches) {
  const RailOptimised cluster(1, 4, 1, 0);
  const Topology& topology = cluster.topology();
  const SmallHost& host = cluster.hosts[0];
  const Route route = Router(topology, hashed(1)).route(host.gpus[0], host.gpus[3]);
  ASSERT_EQ(route.links.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    const Link& link = topology.link(route.links[i].link);
    EXPECT_EQ(link.kind, LinkKind::nvlink);
    EXPECT_EQ(i < 2 ? link.from : link.to, i < 2 ? host.gpus[0] : host.gpus[3]);
    EXPECT_EQ(route.links[i].share, 0.5);
  }
  EXPECT_EQ(route.latency, Seconds{2e-6});
  EXPECT_EQ(Router(topology, pinned).paths(host.gpus[0], host.gpus[3]), 2.0);
}

// gpu0 - gpu1 - gpu2 by NVLink, all on one PCIe switch: NVLink is preferred to the neighbour, but a
// GPU passes nothing on.
TEST(Route, GpusDoNotForward) {
  Wiring wiring;
  const std::vector<DeviceId> gpus = wiring.add_many(DeviceKind::gpu, 3);
  const DeviceId pcie = wiring.add(DeviceKind::pcie_switch, 0);
  for (const DeviceId gpu : gpus) wiring.join(gpu, pcie, LinkKind::pcie);
  wiring.join(gpus[0], gpus[1], LinkKind::nvlink);
  wiring.join(gpus[1], gpus[2], LinkKind::nvlink);
  const Router router(wiring.topology, pinned);
  EXPECT_EQ(devices_of(wiring.topology, router.route(gpus[0], gpus[1])),
            (std::vector{gpus[0], gpus[1]}));
  EXPECT_EQ(devices_of(wiring.topology, router.route(gpus[0], gpus[2])),
            (std::vector{gpus[0], pcie, gpus[2]}));
}

TEST(Route, ACpuForwardsBetweenItsPcieSwitches) {
  const RailOptimised cluster(1, 4, 1, 0);
  const SmallHost& host = cluster.hosts[0];
  const Route route = Router(cluster.topology(), pinned).route(host.gpus[0], host.nics[3]);
  EXPECT_EQ(devices_of(cluster.topology(), route),
            (std::vector{host.gpus[0], host.pcie[0], host.cpu, host.pcie[1], host.nics[3]}));
}

// Two hosts on one group of leaves: the same rail meets in its leaf.
TEST(Route, TheSameRailOfTwoHostsMeetsInItsLeaf) {
  const RailOptimised cluster(2, 4, 2, 3);
  const SmallHost& a = cluster.hosts[0];
  const SmallHost& b = cluster.hosts[1];
  const Router router(cluster.topology(), pinned);
  EXPECT_EQ(devices_of(cluster.topology(), router.route(a.nics[2], b.nics[2])),
            (std::vector{a.nics[2], cluster.leaves[2], b.nics[2]}));
  EXPECT_EQ(router.paths(a.nics[2], b.nics[2]), 1.0);
  EXPECT_EQ(router.route(a.nics[2], b.nics[2]).latency, Seconds{2e-6});
}

// Between rails the way leads over a spine, never through a host, though that has fewer network
// links.
TEST(Route, AnotherRailIsReachedOverTheSpines) {
  const RailOptimised cluster(2, 4, 2, 3);
  const Topology& topology = cluster.topology();
  const SmallHost& a = cluster.hosts[0];
  const SmallHost& b = cluster.hosts[1];
  const Router router(topology, pinned);
  const std::vector<DeviceId> way = devices_of(topology, router.route(a.nics[0], b.nics[3]));
  ASSERT_EQ(way.size(), 5u);
  EXPECT_EQ(way[1], cluster.leaves[0]);
  EXPECT_EQ(topology.device(way[2]).tier, 2);
  EXPECT_EQ(way[3], cluster.leaves[3]);
  EXPECT_EQ(router.paths(a.nics[0], b.nics[3]), 3.0);
}

// GPU 1 shares its PCIe switch with NICs 0 and 1, GPU 3 with NICs 2 and 3: both nearest pairs are
// equally far, so the destination's number picks: pairs (0,2) (0,3) (1,2) (1,3), 3 mod 4 = the
// last.
TEST(Route, AGpuLeavesByANicOfItsOwnPcieSwitch) {
  const RailOptimised cluster(2, 4, 2, 1);
  const SmallHost& a = cluster.hosts[0];
  const SmallHost& b = cluster.hosts[1];
  const Router router(cluster.topology(), pinned);
  EXPECT_EQ(devices_of(cluster.topology(), router.route(a.gpus[1], b.gpus[3])),
            (std::vector{a.gpus[1], a.pcie[0], a.nics[1], cluster.leaves[1], cluster.spines[0],
                         cluster.leaves[3], b.nics[3], b.pcie[1], b.gpus[3]}));
  EXPECT_EQ(router.paths(a.gpus[1], b.gpus[3]), 4.0);
  // To GPU 1 itself the pairs on one rail are nearer: (0,0) and (1,1), 1 mod 2 = the second.
  EXPECT_EQ(devices_of(cluster.topology(), router.route(a.gpus[1], b.gpus[1])),
            (std::vector{a.gpus[1], a.pcie[0], a.nics[1], cluster.leaves[1], b.nics[1], b.pcie[0],
                         b.gpus[1]}));
}

// Rails that meet nowhere: the only ways from rail 0 to rail 3 pass a host's PCIe at one end; pairs
// (0,0) and (3,3) are equally far and 3 mod 2 picks the second.
TEST(Route, UnconnectedRailsAreJoinedInsideAHost) {
  const RailOptimised cluster(2, 4, 2, 0);
  const SmallHost& a = cluster.hosts[0];
  const SmallHost& b = cluster.hosts[1];
  const Route route = Router(cluster.topology(), pinned).route(a.nics[0], b.nics[3]);
  EXPECT_EQ(devices_of(cluster.topology(), route),
            (std::vector{a.nics[0], a.pcie[0], a.cpu, a.pcie[1], a.nics[3], cluster.leaves[3],
                         b.nics[3]}));
}

// Back to back, and to a switch itself.
TEST(Route, DirectWiresAndSwitchesAsEnds) {
  Wiring wiring;
  const std::vector<DeviceId> nics = wiring.add_many(DeviceKind::nic, 3);
  const DeviceId leaf = wiring.add(DeviceKind::network_switch, 0, 1);
  wiring.join(nics[0], nics[1], LinkKind::network);
  wiring.join(nics[1], leaf, LinkKind::network);
  wiring.join(nics[2], leaf, LinkKind::network);
  const Router router(wiring.topology, pinned);
  EXPECT_EQ(devices_of(wiring.topology, router.route(nics[0], nics[1])),
            (std::vector{nics[0], nics[1]}));
  EXPECT_EQ(devices_of(wiring.topology, router.route(nics[2], leaf)), (std::vector{nics[2], leaf}));
  EXPECT_EQ(devices_of(wiring.topology, router.route(leaf, nics[1])), (std::vector{leaf, nics[1]}));
}

// D-3: XGFT(2; 4,4; 1,2; 1,2): 16 hosts, 4 leaves, 2 cores, 2 cables each; 50 us per link. 0 -> 5:
// 4 links, 200 us, leaf up-port 5 mod 4 = 1; 0 -> 3: 2 links.
TEST(Route, DestinationModuloOnAnExtendedGeneralisedFatTree) {
  const LeafSpine tree(4, 4, 2, 2, 50e-6, DeviceKind::gpu);
  const Topology& topology = tree.topology();
  const Router router(topology, pinned);
  const Route far = router.route(tree.ends[0], tree.ends[5]);
  EXPECT_EQ(far.links.size(), 4u);
  EXPECT_NEAR(far.latency.value, 200e-6, 1e-18);
  std::vector<LinkId> up_ports;
  for (const LinkId link : topology.outgoing[tree.leaves[0].index()])
    if (topology.device(topology.link(link).to).tier == 2) up_ports.push_back(link);
  ASSERT_EQ(up_ports.size(), 4u);
  EXPECT_EQ(far.links[1].link, up_ports[1]);
  EXPECT_EQ(router.route(tree.ends[0], tree.ends[3]).links.size(), 2u);
  EXPECT_EQ(router.paths(tree.ends[0], tree.ends[5]), 2.0 * 2.0 * 2.0);
}

// Flows on the busiest link if end i sends to end i + shift, all at once.
double busiest_link(const Topology& topology, const std::vector<DeviceId>& ends,
                    const Router& router, std::size_t shift) {
  std::vector<double> load(topology.links.size());
  for (std::size_t end = 0; end < ends.size(); ++end)
    for (const RouteShare& share : router.route(ends[end], ends[(end + shift) % ends.size()]).links)
      load[share.link.index()] += share.share;
  return *std::max_element(load.begin(), load.end());
}

// D-mod-K is free of contention for every shift on a full fat tree (Zahavi 2010); spraying always
// is.
TEST(Route, ShiftPermutationsDoNotCollideWhenPinned) {
  const LeafSpine tree(6, 8, 8);
  const Router by_destination(tree.topology(), pinned);
  const Router by_packet(tree.topology(), spraying);
  for (std::size_t shift = 1; shift < tree.ends.size(); ++shift) {
    EXPECT_EQ(busiest_link(tree.topology(), tree.ends, by_destination, shift), 1.0) << shift;
    EXPECT_EQ(busiest_link(tree.topology(), tree.ends, by_packet, shift), 1.0) << shift;
  }
}

// The k = 4 fat tree: 4 pods of 2 leaves and 2 spines, 16 ends, 4 cores; spine j of a pod on cores
// 2j, 2j + 1. The leaf chooses by d mod 2, the spine by d / 2 mod 2: without the division half of
// the cores would stay idle.
TEST(Route, ThreeTiersDoNotCollideWhenPinned) {
  Wiring wiring;
  const std::vector<DeviceId> ends = wiring.add_many(DeviceKind::nic, 16);
  const std::vector<DeviceId> leaves = wiring.add_many(DeviceKind::network_switch, 8, 1);
  const std::vector<DeviceId> spines = wiring.add_many(DeviceKind::network_switch, 8, 2);
  const std::vector<DeviceId> cores = wiring.add_many(DeviceKind::network_switch, 4, 3);
  for (std::size_t end = 0; end < 16; ++end)
    wiring.join(ends[end], leaves[end / 2], LinkKind::network);
  for (std::size_t i = 0; i < 8; ++i)
    for (std::size_t j = 0; j < 2; ++j) {
      wiring.join(leaves[i], spines[i / 2 * 2 + j], LinkKind::network);
      wiring.join(spines[i], cores[i % 2 * 2 + j], LinkKind::network);
    }
  const Router router(wiring.topology, pinned);
  EXPECT_EQ(router.paths(ends[0], ends[15]), 4.0);
  for (std::size_t shift = 1; shift < 16; ++shift)
    EXPECT_EQ(busiest_link(wiring.topology, ends, router, shift), 1.0) << shift;
}

// The NICs of a leaf lie 12 devices apart, so choosing by device number modulo 4 would put them all
// on one spine; the router counts leaf by leaf.
TEST(Route, ARingOverHostsDoesNotCollideOnItsRails) {
  const RailOptimised cluster(16, 4, 4, 4, 1);
  ASSERT_EQ(cluster.hosts[1].nics[0].value - cluster.hosts[0].nics[0].value, 12);
  const Router router(cluster.topology(), pinned);
  std::vector<double> load(cluster.topology().links.size());
  for (std::size_t host = 0; host < 16; ++host)
    for (std::size_t rail = 0; rail < 4; ++rail)
      for (const RouteShare& share :
           router.route(cluster.hosts[host].nics[rail], cluster.hosts[(host + 4) % 16].nics[rail])
               .links)
        load[share.link.index()] += share.share;
  EXPECT_EQ(*std::max_element(load.begin(), load.end()), 1.0);
}

// 4 spines with 2 cables each way: an eighth on each cable, all of it on the first and last link.
TEST(Route, SprayingUsesAllWaysEvenly) {
  const LeafSpine tree(2, 1, 4, 2);
  const Route route = Router(tree.topology(), spraying).route(tree.ends[0], tree.ends[1]);
  ASSERT_EQ(route.links.size(), 18u);
  std::map<double, int> shares;
  for (const RouteShare& share : route.links) ++shares[share.share];
  EXPECT_EQ(shares, (std::map<double, int>{{0.125, 16}, {1.0, 2}}));
  EXPECT_EQ(route.latency, Seconds{4e-6});
}

// Each queue pair takes one way; 16 of them together carry the whole flow over each tier, in
// sixteenths, in order from the source, and the first one goes where a single one would.
TEST(Route, QueuePairsAreHashedSeparately) {
  const LeafSpine tree(2, 1, 8);
  const Topology& topology = tree.topology();
  const Router router(topology, hashed(3));
  const Route route = router.route(tree.ends[0], tree.ends[1], 16);
  EXPECT_GT(route.links.size(), 4u);
  double crossing = 0.0;
  bool descending = false;
  for (const RouteShare& share : route.links) {
    EXPECT_EQ(share.share * 16.0, std::floor(share.share * 16.0));
    if (topology.link(share.link).to == tree.leaves[1]) crossing += share.share;
    descending = descending || topology.device(topology.link(share.link).from).tier == 2;
    EXPECT_EQ(descending, topology.device(topology.link(share.link).from).tier == 2 ||
                              share.link == route.links.back().link);
  }
  EXPECT_EQ(crossing, 1.0);
  for (const RouteShare& single : router.route(tree.ends[0], tree.ends[1]).links)
    EXPECT_TRUE(std::any_of(route.links.begin(), route.links.end(),
                            [&](const RouteShare& share) { return share.link == single.link; }));
}

// H-8: the same seed gives the same route, whatever was asked before.
TEST(Route, TheSameSeedGivesTheSameRoute) {
  const LeafSpine tree(4, 4, 8);
  const Router fresh(tree.topology(), hashed(7));
  const Router used(tree.topology(), hashed(7));
  for (const DeviceId end : tree.ends) used.route(end, tree.ends[0], 3);
  for (const DeviceId end : tree.ends)
    EXPECT_EQ(fresh.route(tree.ends[2], end, 4), used.route(tree.ends[2], end, 4));
}

// A NIC with a port on each of two planes: two ways; spraying uses both.
TEST(Route, ANicWithTwoPortsHasTwoWays) {
  Wiring wiring;
  const std::vector<DeviceId> nics = wiring.add_many(DeviceKind::nic, 4);
  const std::vector<DeviceId> leaves = wiring.add_many(DeviceKind::network_switch, 2, 1);
  for (const DeviceId nic : nics)
    for (const DeviceId leaf : leaves) wiring.join(nic, leaf, LinkKind::network);
  EXPECT_EQ(Router(wiring.topology, pinned).paths(nics[0], nics[3]), 2.0);
  const Router router(wiring.topology, pinned);
  EXPECT_EQ(devices_of(wiring.topology, router.route(nics[0], nics[2]))[1], leaves[0]);
  EXPECT_EQ(devices_of(wiring.topology, router.route(nics[0], nics[3]))[1], leaves[1]);
  for (const RouteShare& share : Router(wiring.topology, spraying).route(nics[0], nics[3]).links)
    EXPECT_EQ(share.share, 0.5);
}

}  // namespace
}  // namespace quintet
