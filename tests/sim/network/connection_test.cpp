// Balls into bins for the hash, and the sizes of headers for framing.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/network/route/network_rates.h"
#include "sim/network/route/route.h"
#include "tests/support/small_topologies.h"

namespace quintet {
namespace {

using Loads = std::array<int, 8>;

struct Statistics {
  double no_collision = 0.0;
  double mean_maximum = 0.0;
  double variance_of_maximum = 0.0;
};

class Tally {
 public:
  void add(const Loads& loads) {
    const int maximum = *std::max_element(loads.begin(), loads.end());
    ++cases_;
    no_collision_ += maximum == 1 ? 1 : 0;
    sum_ += maximum;
    squares_ += maximum * maximum;
  }
  Statistics result() const {
    const auto cases = static_cast<double>(cases_);
    const double mean = static_cast<double>(sum_) / cases;
    return {static_cast<double>(no_collision_) / cases, mean,
            static_cast<double>(squares_) / cases - mean * mean};
  }

 private:
  std::int64_t cases_ = 0, no_collision_ = 0, sum_ = 0, squares_ = 0;
};

// Every assignment of n flows to n uplinks once, the first flow on uplink 0: the others are
// rotations.
Statistics enumerated(int n) {
  Tally tally;
  const auto all = static_cast<std::int64_t>(std::llround(std::pow(n, n - 1)));
  for (std::int64_t assignment = 0; assignment < all; ++assignment) {
    Loads loads{1};
    std::int64_t rest = assignment;
    for (int flow = 1; flow < n; ++flow, rest /= n) ++loads[static_cast<std::size_t>(rest % n)];
    tally.add(loads);
  }
  return tally.result();
}

// P(no collision) 8 on 8 = 315/131072; E[max] 4 on 4 = 17/8; and 2.597 for 8 (balls into bins).
TEST(Ecmp, ExactStatisticsOfUniformHashing) {
  EXPECT_EQ(enumerated(2).no_collision, 0.5);
  EXPECT_EQ(enumerated(4).no_collision, 3.0 / 32.0);
  EXPECT_EQ(enumerated(4).mean_maximum, 17.0 / 8.0);
  const Statistics eight = enumerated(8);
  EXPECT_EQ(eight.no_collision, 315.0 / 131072.0);
  EXPECT_NEAR(eight.mean_maximum, 2.597, 0.0005);
}

// Five standard errors: a right hash fails once in 1.7 million seeds of this test.
void expect_like(const Statistics& found, const Statistics& exact, double cases) {
  const double share = exact.no_collision;
  EXPECT_NEAR(found.no_collision, share, 5.0 * std::sqrt(share * (1.0 - share) / cases));
  EXPECT_NEAR(found.mean_maximum, exact.mean_maximum,
              5.0 * std::sqrt(exact.variance_of_maximum / cases));
}

// n neighbouring connections under many seeds, at one hop.
Statistics hashed(int n, int seeds, std::uint64_t hop) {
  Tally tally;
  for (int seed = 0; seed < seeds; ++seed) {
    Loads loads{};
    for (std::uint64_t flow = 0; flow < static_cast<std::uint64_t>(n); ++flow)
      ++loads[hash_connection({flow, 1000 + flow, 0}, static_cast<std::uint64_t>(seed), hop) %
              static_cast<std::uint64_t>(n)];
    tally.add(loads);
  }
  return tally.result();
}

TEST(Ecmp, TheHashSpreadsLikeUniformDraws) {
  for (const std::uint64_t hop : {0u, 1u, 2u}) {
    expect_like(hashed(8, 200'000, hop), enumerated(8), 200'000);
    expect_like(hashed(4, 200'000, hop), enumerated(4), 200'000);
  }
}

// The queue pairs of one connection spread in the same way: 4 pairs, 4 uplinks, many connections.
TEST(Ecmp, QueuePairsSpreadLikeUniformDraws) {
  Tally tally;
  for (std::uint64_t source = 0; source < 50'000; ++source) {
    Loads loads{};
    for (std::uint64_t queue_pair = 0; queue_pair < 4; ++queue_pair)
      ++loads[hash_connection({source, source + 8, queue_pair}, 1, 1) % 4];
    tally.add(loads);
  }
  expect_like(tally.result(), enumerated(4), 50'000);
}

// D-8 through the router: 8 NICs under one leaf send to 8 under another, over 8 spines.
TEST(Ecmp, RoutesCollideAsOftenAsUniformDraws) {
  const LeafSpine tree(2, 8, 8);
  constexpr int seeds = 5000;
  Tally tally;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const Router router(tree.topology(), {Routing::ecmp, seed});
    Loads loads{};
    for (std::size_t flow = 0; flow < 8; ++flow) {
      const Route route = router.route(tree.ends[flow], tree.ends[8 + flow]);
      const DeviceId spine = tree.topology().link(route.links[1].link).to;
      ++loads[spine.index() - tree.spines[0].index()];
    }
    tally.add(loads);
  }
  expect_like(tally.result(), enumerated(8), seeds);
}

// RoCEv2 MTU / (MTU + 82), InfiniBand MTU / (MTU + 26); TCP has 78 bytes of headers.
TEST(Framing, EfficiencyByMtu) {
  EXPECT_NEAR(framing_efficiency(NetworkProtocol::roce, 1024), 0.9259, 5e-5);
  EXPECT_NEAR(framing_efficiency(NetworkProtocol::roce, 2048), 0.9615, 5e-5);
  EXPECT_NEAR(framing_efficiency(NetworkProtocol::roce, 4096), 0.9804, 5e-5);
  EXPECT_NEAR(framing_efficiency(NetworkProtocol::infiniband, 1024), 0.9752, 5e-5);
  EXPECT_NEAR(framing_efficiency(NetworkProtocol::infiniband, 2048), 0.9875, 5e-5);
  EXPECT_NEAR(framing_efficiency(NetworkProtocol::infiniband, 4096), 0.9937, 5e-5);
  EXPECT_EQ(framing_efficiency(NetworkProtocol::tcp, 1422), 1422.0 / 1500.0);
}

}  // namespace
}  // namespace quintet
