#include "sim/ccl/algorithms/collective_algorithm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "tests/sim/ccl/move_integers.h"

namespace quintet {
namespace {

using enum CollectiveKind;

using Pairs = std::map<std::pair<int, int>, double>;

Pairs pairs_of(const std::vector<TrafficPhase>& phases) {
  Pairs pairs;
  for (const TrafficPhase& phase : phases)
    for (const TrafficEdge& edge : phase.edges) pairs[{edge.from, edge.to}] += edge.bytes_per_byte;
  return pairs;
}

void expect_pairs(const std::vector<TrafficPhase>& phases, const Pairs& expected) {
  const Pairs found = pairs_of(phases);
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [pair, share] : expected) {
    ASSERT_TRUE(found.contains(pair)) << pair.first << " -> " << pair.second;
    EXPECT_NEAR(found.at(pair), share, 1e-12) << pair.first << " -> " << pair.second;
  }
}

// Bytes per byte of size that leave, or reach, each member.
std::vector<double> sent(const std::vector<TrafficPhase>& phases, int ranks) {
  std::vector<double> bytes(static_cast<std::size_t>(ranks), 0.0);
  for (const auto& [pair, share] : pairs_of(phases))
    if (pair.first >= 0) bytes[static_cast<std::size_t>(pair.first)] += share;
  return bytes;
}

std::vector<double> received(const std::vector<TrafficPhase>& phases, int ranks) {
  std::vector<double> bytes(static_cast<std::size_t>(ranks), 0.0);
  for (const auto& [pair, share] : pairs_of(phases))
    if (pair.second >= 0) bytes[static_cast<std::size_t>(pair.second)] += share;
  return bytes;
}

void expect_each(const std::vector<double>& bytes, double expected) {
  for (std::size_t i = 0; i < bytes.size(); ++i) EXPECT_NEAR(bytes[i], expected, 1e-12) << i;
}

// On one host the bytes of each pair are those of the schedule that moves real integers.
TEST(Traffic, AgreesWithTheSchedules) {
  for (const int n : {1, 2, 3, 4, 5, 7, 8, 12, 16, 17}) {
    const HostLayout layout = even_layout(1, n, 1);
    for (const CollectiveKind kind : {all_reduce, reduce_scatter, all_gather, broadcast, reduce})
      expect_pairs(traffic(kind, Algorithm::ring, layout), share_by_pair(ring_schedule(kind, n)));
    for (const CollectiveKind kind : {all_reduce, reduce_scatter, all_gather})
      expect_pairs(traffic(kind, Algorithm::halving_doubling, layout),
                   share_by_pair(halving_doubling_schedule(kind, n)));
    for (const CollectiveKind kind : {all_reduce, reduce_scatter, all_gather})
      expect_pairs(traffic(kind, Algorithm::direct, layout),
                   share_by_pair(direct_schedule(kind, n)));
    Pairs all_pairs = share_by_pair(all_to_all_schedule(n, 1));
    for (auto& [pair, share] : all_pairs) share *= n;  // its buffer holds all ranks' pairs
    expect_pairs(traffic(all_to_all, Algorithm::direct, layout), all_pairs);
  }
  for (const int hosts : {1, 2, 3, 5})
    for (const int per_host : {1, 2, 4})
      expect_pairs(traffic(all_reduce, Algorithm::hierarchical, even_layout(hosts, per_host, 8)),
                   share_by_pair(hierarchical_schedule({{per_host, hosts}})));
}

// The switch of nvls_schedule is rank n there, host_switch here.
TEST(Traffic, AgreesWithTheNvlsSchedule) {
  Pairs expected;
  for (const auto& [pair, share] : share_by_pair(nvls_schedule(8)))
    expected[{pair.first == 8 ? host_switch : pair.first,
              pair.second == 8 ? host_switch : pair.second}] = share;
  expect_pairs(traffic(all_reduce, Algorithm::nvls, even_layout(1, 8, 8)), expected);
}

// One channel: port 0 of every host, as double_tree_schedule.
TEST(Traffic, AgreesWithTheTreeSchedule) {
  for (const int hosts : {2, 3, 5, 8})
    expect_pairs(traffic(all_reduce, Algorithm::tree, even_layout(hosts, 4, 1)),
                 share_by_pair(double_tree_schedule(hosts, 4, 2)));
}

// Each rank sends and receives the bus factor, however many hosts, ranks and NICs.
TEST(Traffic, RingsSendTheBusFactor) {
  for (const int hosts : {1, 2, 3, 4})
    for (const int per_host : {1, 2, 3, 8})
      for (const int nics : {1, 2, 3, 4, 8})
        for (const CollectiveKind kind : {all_reduce, reduce_scatter, all_gather}) {
          const HostLayout layout = even_layout(hosts, per_host, nics);
          const int n = hosts * per_host;
          for (const Algorithm algorithm : {Algorithm::ring, Algorithm::hierarchical}) {
            const auto phases = traffic(kind, algorithm, layout);
            expect_each(sent(phases, n), bus_factor(kind, n));
            expect_each(received(phases, n), bus_factor(kind, n));
          }
        }
}

TEST(Traffic, OtherAlgorithmsSendTheBusFactorToo) {
  for (const int n : {2, 3, 5, 8, 16, 23}) {
    for (const CollectiveKind kind : {reduce_scatter, all_gather}) {
      expect_each(sent(traffic(kind, Algorithm::pat, even_layout(n, 1, 1)), n),
                  bus_factor(kind, n));
      expect_each(received(traffic(kind, Algorithm::pat, even_layout(n, 1, 1)), n),
                  bus_factor(kind, n));
    }
    for (const CollectiveKind kind : {all_reduce, reduce_scatter, all_gather, all_to_all})
      expect_each(sent(traffic(kind, Algorithm::direct, even_layout(1, n, 1)), n),
                  bus_factor(kind, n));
  }
  for (const int n : {2, 4, 8, 32})
    for (const CollectiveKind kind : {all_reduce, reduce_scatter, all_gather})
      expect_each(sent(traffic(kind, Algorithm::halving_doubling, even_layout(1, n, 1)), n),
                  bus_factor(kind, n));
}

// Bytes that cross hosts at each local rank of each host, out and in.
struct Crossings {
  std::map<std::pair<int, int>, double> out, in;  // host, local
};

Crossings crossings_of(const std::vector<TrafficPhase>& phases, int per_host) {
  Crossings crossings;
  for (const auto& [pair, share] : pairs_of(phases)) {
    const auto [from, to] = pair;
    if (from < 0 || to < 0 || from / per_host == to / per_host) continue;
    crossings.out[{from / per_host, from % per_host}] += share;
    crossings.in[{to / per_host, to % per_host}] += share;
  }
  return crossings;
}

// Two hosts of 8 with 8 NICs: every NIC carries an eighth of the ring, 2 (15/16) / 8 each way.
TEST(Traffic, RingsLoadEveryNicAlike) {
  for (const int hosts : {2, 3, 4}) {
    const auto phases = traffic(all_reduce, Algorithm::ring, even_layout(hosts, 8, 8));
    const Crossings crossings = crossings_of(phases, 8);
    EXPECT_EQ(crossings.out.size(), static_cast<std::size_t>(8 * hosts));
    for (const auto& [port, share] : crossings.out)
      EXPECT_NEAR(share, bus_factor(all_reduce, 8 * hosts) / 8, 1e-12);
    for (const auto& [port, share] : crossings.in)
      EXPECT_NEAR(share, bus_factor(all_reduce, 8 * hosts) / 8, 1e-12);
  }
}

// With an even number of hosts no byte changes its rail.
TEST(Traffic, RingsKeepToTheirRails) {
  for (const auto& [pair, share] :
       pairs_of(traffic(all_reduce, Algorithm::ring, even_layout(4, 8, 8))))
    EXPECT_TRUE(pair.first / 8 == pair.second / 8 || pair.first % 8 == pair.second % 8)
        << pair.first << " -> " << pair.second;
}

// Two hosts of two, two NICs, whole value: channel 0 is 0 1 3 2, channel 1 is 1 0 2 3; each edge
// carries 2 (3/4) / 2, and the two directions inside a host are one channel's each.
TEST(Traffic, RingOverTwoHostsOfTwo) {
  expect_pairs(traffic(all_reduce, Algorithm::ring, even_layout(2, 2, 2)), {{{0, 1}, 0.75},
                                                                            {{1, 0}, 0.75},
                                                                            {{2, 3}, 0.75},
                                                                            {{3, 2}, 0.75},
                                                                            {{0, 2}, 0.75},
                                                                            {{2, 0}, 0.75},
                                                                            {{1, 3}, 0.75},
                                                                            {{3, 1}, 0.75}});
}

// Fewer NICs than ranks: their owners are spread evenly, here locals 0, 2, 4, 6.
TEST(Traffic, FewerNicsUseFewerPorts) {
  const Crossings crossings =
      crossings_of(traffic(all_reduce, Algorithm::tree, even_layout(2, 8, 4)), 8);
  std::vector<int> locals;
  for (const auto& [port, share] : crossings.out)
    if (port.first == 0) locals.push_back(port.second);
  EXPECT_EQ(locals, (std::vector{0, 2, 4, 6}));
}

// A tree moves n - 1 buffers up and n - 1 down, whatever its shape.
TEST(Traffic, TreesMoveTwiceTheEdges) {
  for (const int hosts : {1, 2, 3, 8, 16})
    for (const int per_host : {1, 2, 8}) {
      const auto phases = traffic(all_reduce, Algorithm::tree, even_layout(hosts, per_host, 8));
      const int n = hosts * per_host;
      const std::vector<double> bytes = sent(phases, n);
      EXPECT_NEAR(std::accumulate(bytes.begin(), bytes.end(), 0.0), 2.0 * (n - 1), 1e-9);
      for (const double share : bytes) EXPECT_LE(share, 2.0 + 1e-12);  // A closed form
    }
}

// NVLS on one host: all-reduce S + S/n each way; its halves S one way and S/n the other.
TEST(Traffic, NvlsSendsTheBufferOnce) {
  const HostLayout layout = even_layout(1, 8, 8);
  expect_each(sent(traffic(all_reduce, Algorithm::nvls, layout), 8), 1.125);
  expect_each(received(traffic(all_reduce, Algorithm::nvls, layout), 8), 1.125);
  expect_each(sent(traffic(reduce_scatter, Algorithm::nvls, layout), 8), 1.0);
  expect_each(received(traffic(reduce_scatter, Algorithm::nvls, layout), 8), 0.125);
  expect_each(sent(traffic(all_gather, Algorithm::nvls, layout), 8), 0.125);
  expect_each(received(traffic(all_gather, Algorithm::nvls, layout), 8), 1.0);
}

// Two hosts, NVLS inside: every head's eighth crosses once up and once down per tree edge; over
// both trees one edge each: out of each NIC (1/8)(1/2)(up of one tree + down of the other).
TEST(Traffic, NvlsTreeSharesTheNics) {
  const auto phases = traffic(all_reduce, Algorithm::nvls_tree, even_layout(2, 8, 8));
  const Crossings crossings = crossings_of(phases, 8);
  EXPECT_EQ(crossings.out.size(), 16u);
  for (const auto& [port, share] : crossings.out) EXPECT_NEAR(share, 0.125, 1e-12);
  expect_each(sent(phases, 16), 1.125 + 0.125);
}

// In-network reduction: the buffer leaves each host once and comes back once (oracle C-9's S/B).
TEST(Traffic, NetworkReducesEachByteOnce) {
  for (const Algorithm algorithm :
       {Algorithm::nvls, Algorithm::collnet_direct, Algorithm::collnet_chain}) {
    double out = 0.0, in = 0.0;
    for (const auto& [pair, share] :
         pairs_of(traffic(all_reduce, algorithm, even_layout(4, 8, 8)))) {
      if (pair.second == network_reducer && pair.first < 8) out += share;
      if (pair.first == network_reducer && pair.second < 8) in += share;
    }
    EXPECT_NEAR(out, 1.0, 1e-12);
    EXPECT_NEAR(in, 1.0, 1e-12);
  }
}

// Reduce-scatter inside (7/8), all-reduce across of an eighth, gather inside.
TEST(Traffic, HierarchicalHasItsPhases) {
  const auto phases = traffic(all_reduce, Algorithm::hierarchical, even_layout(128, 8, 8));
  ASSERT_EQ(phases.size(), 3u);
  const double inside = 7.0 / 8, across = 2.0 * 127 / 128 / 8;
  expect_each(sent({phases[0]}, 1024), inside);
  expect_each(sent({phases[1]}, 1024), across);
  expect_each(sent({phases[2]}, 1024), inside);
  EXPECT_EQ(phases[1].kind, all_reduce);
  EXPECT_EQ(phases[0].steps + phases[1].steps + phases[2].steps, 7 + 254 + 7);
  EXPECT_EQ(traffic(all_gather, Algorithm::hierarchical, even_layout(4, 8, 8)).size(), 2u);
}

// Ring: half of the received bytes are added, half kept; a tree's busiest rank adds two children's
// halves per tree, here over 8 hosts: interior in one tree (2 x 1/2), leaf in the other.
TEST(Traffic, SaysWhatRanksAddAndKeep) {
  const TrafficPhase ring = traffic(all_reduce, Algorithm::ring, even_layout(1, 8, 1)).front();
  EXPECT_NEAR(ring.reduced_bytes_per_byte, 0.875, 1e-12);
  EXPECT_NEAR(ring.copied_bytes_per_byte, 0.875, 1e-12);
  EXPECT_EQ(ring.steps, 14);
  const TrafficPhase tree = traffic(all_reduce, Algorithm::tree, even_layout(8, 1, 1)).front();
  EXPECT_NEAR(tree.reduced_bytes_per_byte, 1.0, 1e-12);
  EXPECT_NEAR(tree.copied_bytes_per_byte, 1.0, 1e-12);
}

// Hosts of 3 and 5 members at positions not in order: rings and trees still serve all.
TEST(Traffic, ServesUnevenHosts) {
  const HostLayout layout{{{7, 0, 3}, {1, 2, 4, 5, 6}}, 8, {}};
  expect_each(sent(traffic(all_reduce, Algorithm::ring, layout), 8), 1.75);
  const std::vector<double> tree = sent(traffic(all_reduce, Algorithm::tree, layout), 8);
  EXPECT_NEAR(std::accumulate(tree.begin(), tree.end(), 0.0), 14.0, 1e-12);
  EXPECT_TRUE(traffic(all_reduce, Algorithm::hierarchical, layout).empty());
  EXPECT_TRUE(traffic(all_reduce, Algorithm::nvls, layout).empty());
}

TEST(Traffic, IsEmptyForWhatAnAlgorithmDoesNot) {
  const HostLayout layout = even_layout(2, 8, 8);
  EXPECT_TRUE(traffic(all_to_all, Algorithm::ring, layout).empty());
  EXPECT_TRUE(traffic(all_gather, Algorithm::tree, layout).empty());
  EXPECT_TRUE(traffic(all_gather, Algorithm::pat, layout).empty());
  EXPECT_TRUE(traffic(broadcast, Algorithm::nvls, layout).empty());
}

// A broadcast leaves the root, position 0, and does not come back; a reduce ends there.
TEST(Traffic, RootedRingsAreChains) {
  const HostLayout layout = even_layout(2, 4, 4);
  const auto spread = traffic(broadcast, Algorithm::ring, layout);
  EXPECT_NEAR(received(spread, 8)[0], 0.0, 1e-12);
  EXPECT_NEAR(sent(spread, 8)[0], 1.0, 1e-12);
  for (int rank = 1; rank < 8; ++rank)
    EXPECT_NEAR(received(spread, 8)[static_cast<std::size_t>(rank)], 1.0, 1e-12);
  const auto collected = traffic(reduce, Algorithm::ring, layout);
  EXPECT_NEAR(sent(collected, 8)[0], 0.0, 1e-12);
  EXPECT_NEAR(received(collected, 8)[0], 1.0, 1e-12);
}

}  // namespace
}  // namespace quintet
