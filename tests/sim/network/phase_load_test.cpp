#include "sim/network/link_load.h"

#include <gtest/gtest.h>

#include <limits>

namespace quintet {
namespace {

// Link 0 carries half of the bytes in both phases, links 1 and 2 all of them in one.
const std::vector<PhaseLoad> two_phases{{3, {{0, 0.5}, {1, 1.0}}}, {2, {{0, 0.5}, {2, 1.0}}}};

TEST(PhaseLoad, StepsFollowOneAnother) {
  EXPECT_EQ(steps_of(two_phases), 5);
  EXPECT_EQ(steps_of({}), 1);
}

TEST(PhaseLoad, AddsUpOnEachLink) {
  EXPECT_EQ(whole_load(two_phases), (std::vector<Usage>{{0, 1.0}, {1, 1.0}, {2, 1.0}}));
  EXPECT_EQ(whole_load({}), std::vector<Usage>{});
}

// At 10, 5 and 4 bytes/s the first phase takes 1/5 of a second per byte (link 1), the second 1/4.
TEST(PhaseLoad, PassesPhaseByPhase) {
  const std::vector<LinkShare> links{{10.0}, {5.0}, {4.0}};
  EXPECT_DOUBLE_EQ(passing_rate(two_phases, links).value, 1 / (0.2 + 0.25));
  EXPECT_EQ(passing_rate({}, links).value, std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace quintet
