#include "sim/intra_inter/group_layout.h"

#include <gtest/gtest.h>

#include "tests/support/small_worlds.h"

namespace quintet {
namespace {

// Two hosts of two, named host by host.
TEST(GroupLayout, PutsMembersOnTheirHosts) {
  const GroupLayout expected{{{0, 1}, {2, 3}}, true, true};
  EXPECT_EQ(group_layout({{0, 0}, {0, 1}, {1, 0}, {1, 1}}), expected);
}

// Named rail by rail, hosts 3 and 1: hosts in order of appearance, members by local number.
TEST(GroupLayout, OrdersMembersByLocalNumber) {
  const GroupLayout expected{{{2, 0}, {3, 1}}, true, true};
  EXPECT_EQ(group_layout({{3, 5}, {1, 5}, {3, 2}, {1, 2}}), expected);
}

TEST(GroupLayout, SeesUnevenHosts) {
  const GroupLayout layout = group_layout({{0, 0}, {0, 1}, {1, 0}});
  EXPECT_FALSE(layout.uniform);
  EXPECT_FALSE(layout.aligned);
}

// As many on each, but at other places: uniform, not aligned.
TEST(GroupLayout, SeesCrossedRails) {
  const GroupLayout layout = group_layout({{0, 0}, {0, 1}, {1, 2}, {1, 3}});
  EXPECT_TRUE(layout.uniform);
  EXPECT_FALSE(layout.aligned);
}

TEST(GroupLayout, HasTwoLevels) {
  EXPECT_EQ(level_sizes(group_layout({{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}, {2, 1}})),
            (std::vector{2, 3}));
}

TEST(GroupLayout, FindsSeatsOnATopology) {
  const Topology topology = test::built(test::gpu_host(8, 8), 2, test::tree("fat_tree", 32));
  EXPECT_EQ(seat_of(topology, test::device(topology, "host1/gpu5")), (Seat{1, 5}));
}

// Slots 0 to 3 are host0/gpu0, host0/gpu1, host1/gpu0, host1/gpu1.
TEST(SlotsOfRanks, FollowThePlacementAndNeedNotFillTheMachine) {
  const Topology topology = test::built(test::gpu_host(2, 2), 2, test::tree("fat_tree", 32));
  const auto names = [&](const std::vector<int>& placement, int ranks) {
    std::vector<std::string> found;
    for (const DeviceId slot : slots_of_ranks(topology, placement, ranks))
      found.push_back(topology.device(slot).name);
    return found;
  };
  EXPECT_EQ(names({}, 2), (std::vector<std::string>{"host0/gpu0", "host0/gpu1"}));
  EXPECT_EQ(names({2, 0, 3}, 3),
            (std::vector<std::string>{"host1/gpu0", "host0/gpu0", "host1/gpu1"}));
}

}  // namespace
}  // namespace quintet
