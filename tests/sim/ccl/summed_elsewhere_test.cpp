// Collectives whose sums are made by others than the ranks: servers, and the network's switches.
#include <gtest/gtest.h>

#include <map>

#include "sim/ccl/algorithms/collective_algorithm.h"

namespace quintet {
namespace {

using enum CollectiveKind;

HostLayout beside_servers(int hosts, int per_host, std::size_t servers) {
  HostLayout layout = even_layout(hosts, per_host, 1);
  for (std::size_t i = 0; i < servers; ++i) layout.servers.push_back(id_at<DeviceId>(i));
  return layout;
}

bool on_one_host(const HostLayout& layout, int one, int other) {
  const int per_host = ranks_per_host(layout);
  return one >= 0 && other >= 0 && one / per_host == other / per_host;
}

// Bytes per byte of size that leave each host, servers as their ends, for other hosts.
std::map<int, double> sent_by_host(const HostLayout& layout, Algorithm algorithm, bool received) {
  std::map<int, double> bytes;
  for (const TrafficPhase& phase : traffic(all_reduce, algorithm, layout))
    for (const TrafficEdge& edge : phase.edges) {
      if (on_one_host(layout, edge.from, edge.to)) continue;
      const int end = received ? edge.to : edge.from;
      bytes[end < 0 ? end : end / ranks_per_host(layout)] += edge.bytes_per_byte;
    }
  return bytes;
}

// BytePS (OSDI'20), section 4.1, with n GPU hosts and k servers: a server adds 2 (n - 1) / (n^2 + k
// n
// - 2 k) of all bytes, a GPU host (n - k) / (n^2 + k n - 2 k).
TEST(SummationShares, AreThoseOfThePaper) {
  EXPECT_EQ(byteps_shares(8, 2), (SummationShares{6.0 / 76, 14.0 / 76}));
  EXPECT_EQ(byteps_shares(8, 4), (SummationShares{4.0 / 88, 14.0 / 88}));
}

// Without servers 1/n each, as a ring scatters; with as many as hosts, or more, servers add all.
TEST(SummationShares, LieBetweenAllReduceAndAParameterServer) {
  EXPECT_EQ(byteps_shares(8, 0), (SummationShares{1.0 / 8, 14.0 / 64}));
  EXPECT_EQ(byteps_shares(8, 8), (SummationShares{0.0, 1.0 / 8}));
  EXPECT_EQ(byteps_shares(8, 16), (SummationShares{0.0, 1.0 / 16}));
  EXPECT_EQ(byteps_shares(1, 0), (SummationShares{1.0, 0.0}));
}

// All NICs, those of servers too, send and receive 2 n (n - 1) / (n^2 + k n - 2 k) bytes per byte:
// the paper's optimal time is that over the rate of a NIC.
TEST(Byteps, KeepsAllNicsEquallyBusy) {
  for (const auto& [n, k] : {std::pair{8, 2}, {8, 4}, {8, 8}, {4, 3}, {2, 1}})
    for (const int per_host : {1, 4}) {
      const HostLayout layout = beside_servers(n, per_host, static_cast<std::size_t>(k));
      const double expected = 2.0 * n * (n - 1) / (n * n + k * n - 2 * k);
      for (const bool received : {false, true}) {
        const std::map<int, double> bytes = sent_by_host(layout, Algorithm::byteps, received);
        ASSERT_EQ(bytes.size(), static_cast<std::size_t>(n + k));
        for (const auto& [host, each] : bytes) EXPECT_NEAR(each, expected, 1e-12) << host;
      }
    }
}

// All bytes of 8 hosts over 2 servers: 8/2 at a server, 1 at a host.
TEST(ParameterServer, HasItsServersDoEverything) {
  const HostLayout layout = beside_servers(8, 1, 2);
  const std::map<int, double> bytes = sent_by_host(layout, Algorithm::parameter_server, false);
  ASSERT_EQ(bytes.size(), 10u);
  for (const auto& [host, each] : bytes) EXPECT_NEAR(each, host < 0 ? 4.0 : 1.0, 1e-12) << host;
}

TEST(ParameterServer, NeedsServers) {
  for (const Algorithm algorithm : {Algorithm::parameter_server, Algorithm::byteps})
    EXPECT_TRUE(traffic(all_reduce, algorithm, beside_servers(4, 1, 0)).empty());
}

// Whatever the number of hosts: each byte leaves a host once and comes back once.
TEST(InNetwork, MovesEachByteUpOnceAndDownOnce) {
  for (const int hosts : {2, 3, 8, 100})
    for (const int per_host : {1, 4})
      for (const bool received : {false, true}) {
        const HostLayout layout = even_layout(hosts, per_host, 1);
        std::map<int, double> bytes = sent_by_host(layout, Algorithm::in_network, received);
        EXPECT_NEAR(bytes[network_reducer], hosts, 1e-9);
        bytes.erase(network_reducer);
        ASSERT_EQ(bytes.size(), static_cast<std::size_t>(hosts));
        for (const auto& [host, each] : bytes) EXPECT_NEAR(each, 1.0, 1e-12) << host;
      }
}

// On one host nothing is handed to the network: the ring of that host alone.
TEST(InNetwork, StaysInsideOneHost) {
  EXPECT_EQ(traffic(all_reduce, Algorithm::in_network, even_layout(1, 4, 1))[0].edges,
            traffic(all_reduce, Algorithm::ring, even_layout(1, 4, 1))[0].edges);
}

// Five hosts of two with strides 1 and 2: 2 x 9/10 bytes in all over each of two rings, so that
// half of that crosses each circuit.
TEST(MultiRing, SpreadsBytesEvenlyOverTheStrides) {
  HostLayout layout = even_layout(5, 2, 2);
  layout.strides = {1, 2};
  std::map<std::pair<int, int>, double> between;
  const std::vector<TrafficPhase> phases = traffic(all_reduce, Algorithm::multi_ring, layout);
  for (const TrafficEdge& edge : phases[0].edges)
    if (edge.from / 2 != edge.to / 2) between[{edge.from / 2, edge.to / 2}] += edge.bytes_per_byte;
  ASSERT_EQ(between.size(), 10u);
  for (const auto& [hosts, bytes] : between) {
    const int stride = (hosts.second - hosts.first + 5) % 5;
    EXPECT_TRUE(stride == 1 || stride == 2) << hosts.first << " -> " << hosts.second;
    EXPECT_NEAR(bytes, 0.9, 1e-12);
  }
}

TEST(MultiRing, OfOneStrideMovesARingsBytes) {
  const HostLayout layout = even_layout(3, 2, 1);
  const TrafficPhase ring = traffic(all_reduce, Algorithm::ring, layout)[0];
  const TrafficPhase one = traffic(all_reduce, Algorithm::multi_ring, layout)[0];
  EXPECT_EQ(one.edges.size(), ring.edges.size());
  EXPECT_EQ(one.steps, ring.steps);
  EXPECT_EQ(one.reduced_bytes_per_byte, ring.reduced_bytes_per_byte);
}

}  // namespace
}  // namespace quintet
