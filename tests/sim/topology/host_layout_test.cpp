#include "sim/topology/host_layout.h"

#include <gtest/gtest.h>

#include "tests/support/small_worlds.h"

namespace quintet {
namespace {

// Two hosts of two, named host by host.
TEST(HostLayout, PutsMembersOnTheirHosts) {
  const HostLayout expected{{{0, 1}, {2, 3}}, 1, {}};
  EXPECT_EQ(host_layout({{0, 0}, {0, 1}, {1, 0}, {1, 1}}), expected);
}

// Named rail by rail, hosts 3 and 1: hosts in order of appearance, members by local number.
TEST(HostLayout, OrdersMembersByLocalNumber) {
  const HostLayout expected{{{2, 0}, {3, 1}}, 1, {}};
  EXPECT_EQ(host_layout({{3, 5}, {1, 5}, {3, 2}, {1, 2}}), expected);
}

TEST(HostLayout, SeesUnevenHosts) {
  EXPECT_FALSE(uniform(host_layout({{0, 0}, {0, 1}, {1, 0}})));
  EXPECT_TRUE(uniform(host_layout({{0, 0}, {0, 1}, {1, 2}, {1, 3}})));
}

TEST(HostLayout, IsEvenWhereAsked) {
  EXPECT_EQ(even_layout(2, 3, 1), (HostLayout{{{0, 1, 2}, {3, 4, 5}}, 1, {}}));
}

// Host 1's GPUs 5 and 4, then host 0's GPU 5: each has a NIC of its own.
TEST(HostLayout, FindsSeatsOnATopology) {
  const Topology topology = test::built(test::gpu_host(8, 8), 2, test::tree("fat_tree", 32));
  const auto slot = [&](const char* name) { return test::device(topology, name); };
  EXPECT_EQ(seat_of(topology, slot("host1/gpu5")), (Seat{1, 5}));
  const std::vector<DeviceId> slots{slot("host1/gpu5"), slot("host1/gpu4"), slot("host0/gpu5")};
  EXPECT_EQ(host_layout(topology, slots), (HostLayout{{{1, 0}, {2}}, 2, slots}));
}

// Two GPUs share each NIC: four of them have two.
TEST(HostLayout, CountsTheNicsOfItsMembers) {
  const Topology topology = test::built(test::gpu_host(8, 4), 1, test::tree("fat_tree", 32));
  std::vector<DeviceId> slots = rank_slots(topology);
  EXPECT_EQ(host_layout(topology, slots).nics_per_host, 4);
  slots.resize(4);
  EXPECT_EQ(host_layout(topology, slots).nics_per_host, 2);
}

}  // namespace
}  // namespace quintet
