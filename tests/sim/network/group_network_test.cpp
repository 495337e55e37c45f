#include "sim/network/route/network_rates.h"

#include <gtest/gtest.h>

#include "tests/support/shipped.h"

namespace quintet {
namespace {

std::optional<GroupNetwork> of(const Topology& topology,
                               std::initializer_list<std::size_t> places) {
  const std::vector<DeviceId> all = rank_slots(topology);
  std::vector<DeviceId> slots;
  for (const std::size_t place : places) slots.push_back(all[place]);
  const Router router(topology, {});
  return group_network(topology, router, slots);
}

// Two cables of 4.5 us, a bus and a virtual interface of 0.2 us each at both ends, at a gigabit.
TEST(GroupNetwork, IsOfTheLinksBetweenNeighbours) {
  const Topology box = test::shipped_topology("box-4-1gbit");
  const auto network = of(box, {0, 1, 2, 3});
  ASSERT_TRUE(network);
  EXPECT_EQ(network->slowest, Bandwidth{125e6});
  EXPECT_NEAR(network->longest.value, 9.8e-6, 1e-9);
  EXPECT_EQ(of(box, {2, 0}), network);
}

// Two hosts of eight slots.
TEST(GroupNetwork, IsNoneInsideAHost) {
  const Topology two = test::shipped_topology("dgx-h100-1024", 2);
  EXPECT_EQ(of(two, {0, 1, 3}), std::nullopt);
  EXPECT_TRUE(of(two, {0, 1, 8}));
  EXPECT_EQ(of(two, {0, 8}), of(two, {3, 11}));
}

// One slow link on the way decides.
TEST(GroupNetwork, IsAsSlowAsItsSlowestLink) {
  Topology box = test::shipped_topology("box-4-1gbit");
  for (Link& link : box.links)
    if (link.kind == LinkKind::network) {
      link.bandwidth = Bandwidth{1e6};
      break;
    }
  const auto all = of(box, {0, 1, 2, 3});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->slowest, Bandwidth{1e6});
}

}  // namespace
}  // namespace quintet
