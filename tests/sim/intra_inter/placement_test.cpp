#include "sim/intra_inter/placement.h"

#include <gtest/gtest.h>

#include "tests/support/small_worlds.h"

namespace quintet {
namespace {

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
