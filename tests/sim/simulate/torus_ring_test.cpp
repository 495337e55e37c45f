#include <gtest/gtest.h>

#include "sim/price/communications.h"
#include "tests/support/one_collective.h"
#include "tests/support/shipped.h"
#include "tests/support/small_worlds.h"
#include "tests/support/torus.h"

namespace quintet {
namespace {

CommunicationPrice ring(int ranks, std::vector<int> placement, const Topology& topology) {
  Plan plan;
  plan.ccl.rules = {{.algorithm = Algorithm::ring}};
  plan.intra_inter.placement = std::move(placement);
  CostTable costs = test::shipped_costs("h100-sxm-80gb");
  costs.communication = {};
  return communications(
             test::one_collective(ranks, CollectiveKind::all_reduce, Bytes{1e9}, DataType::fp32),
             plan, topology, costs)
      .collectives.at(0)
      .at(0)
      .at(0);
}

// InfiniBand: 26 bytes of headers beside 4,096 of payload.
constexpr double cable = 25e9 * 4096 / 4122;

// Four hosts along x are a ring of the torus, the way around its end too: 2 (n - 1) steps of the
// way between neighbours (bus 0.1, NIC 0.2, node 1, cable 0.5, node 1, NIC 0.2, bus 0.1 us), and
// 2 (n - 1) / n of the size over each cable: 2 (n - 1) (a + S / (n b)).
TEST(TorusRing, OfNeighboursTakesTheClosedForm) {
  const CommunicationPrice price =
      ring(4, {}, test::built(test::cpu_host(), 64, test::torus(4, 4, 4)));
  EXPECT_NEAR(price.latency.value, 6 * 3.1e-6, 1e-12);
  EXPECT_NEAR(price.bound.value, cable / 1.5, 1.0);
}

// 0, 2, 1, 3 along x: 0 -> 2 and 1 -> 3 go two forwards, 2 -> 1 one back, 3 -> 0 one forwards: the
// cable from 1 to 2 carries two of them.
TEST(TorusRing, OutOfOrderSharesACable) {
  const CommunicationPrice price =
      ring(4, {0, 2, 1, 3}, test::built(test::cpu_host(), 4, test::torus(4, 1, 1)));
  EXPECT_NEAR(price.bound.value, cable / 3, 1.0);
}

}  // namespace
}  // namespace quintet
