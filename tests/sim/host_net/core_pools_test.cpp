#include "sim/host_net/processors.h"

#include <gtest/gtest.h>

#include "tests/support/shipped.h"

namespace quintet {
namespace {

using namespace literals;

// A core moves 1 GB/s; a message costs it 1 us beside its bytes and takes 20 us, 50 us where
// kernels have all cores.
CostTable costs_of(int cores) {
  CostTable costs;
  costs.processors = ProcessorCosts{cores, 1_GBps, 1_us, 20_us, 50_us, "derived"};
  return costs;
}

// Four hosts with a rank each.
class CorePoolsTest : public testing::Test {
 protected:
  Topology topology = test::shipped_topology("ethernet-cpu-4", 4);
  std::vector<DeviceId> slots = rank_slots(topology);
  std::int32_t after_links = static_cast<std::int32_t>(topology.links.size());
};

TEST_F(CorePoolsTest, AreOneWhereOneMachineHoldsAllRanks) {
  const CorePools pools(topology, costs_of(2), slots);
  ASSERT_EQ(pools.pools().size(), 1u);
  EXPECT_EQ(pools.pools()[0].rate, 2_GBps);
  EXPECT_EQ(pools.link_of(slots[3]), after_links);
  EXPECT_TRUE(pools.is_pool(after_links));
  EXPECT_FALSE(pools.is_pool(after_links - 1));
  EXPECT_TRUE(pools.crowd(slots));  // four ranks, two cores
}

TEST_F(CorePoolsTest, AreAHostsOwnOtherwise) {
  const CorePools pools(topology, costs_of(0), slots);
  EXPECT_EQ(pools.pools().size(), 4u);
  EXPECT_EQ(pools.link_of(slots[3]), after_links + 3);
  EXPECT_FALSE(pools.crowd(slots));
}

// Half of a byte's work is the sender's, half the receiver's.
TEST_F(CorePoolsTest, AreLoadedAtBothEnds) {
  Route route;
  CorePools(topology, costs_of(0), slots).load_ends(route, slots[0], slots[2]);
  EXPECT_EQ(route.links,
            (std::vector<RouteShare>{{LinkId{after_links}, 0.5}, {LinkId{after_links + 2}, 0.5}}));
}

TEST_F(CorePoolsTest, AreNoneWithoutCostsOfProcessors) {
  const CorePools pools(topology, CostTable{}, slots);
  Route route;
  pools.load_ends(route, slots[0], slots[2]);
  EXPECT_EQ(route, Route{});
  EXPECT_TRUE(pools.pools().empty());
  EXPECT_FALSE(pools.is_pool(after_links));
}

// Two messages are worth 2 us of a core, 2 KB at its rate; of 4 KB in all, moved once, half again.
TEST(ProcessorMessages, TakeTimeAndWorkBesideTheirBytes) {
  const CostTable costs = costs_of(2);
  EXPECT_EQ(processor_message_latency(costs).usual, 20_us);
  EXPECT_NEAR(processor_message_latency(costs).crowded.value, 30e-6, 1e-15);
  EXPECT_DOUBLE_EQ(processor_message_work(costs, 2, Bytes{4000}, 1.0), 1.5);
  EXPECT_EQ(processor_message_work(costs, 2, Bytes{4000}, 0.0), 1.0);
}

}  // namespace
}  // namespace quintet
