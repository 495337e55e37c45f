#include "sim/explain/mean_parts.h"

#include <gtest/gtest.h>

namespace quintet {
namespace {

using Parts = std::vector<Duration>;

// 10/3, 11/3, 9/3 = 3 1/3, 3 2/3, 3: one picosecond is missing to 10; the second is nearest to it.
TEST(MeanParts, TheLargestRemainderGetsWhatIsMissing) {
  EXPECT_EQ(mean_parts({10, 11, 9}, 3, {10}), (Parts{{3}, {4}, {3}}));
}

TEST(MeanParts, TheFirstOfEqualRemaindersComesFirst) {
  EXPECT_EQ(mean_parts({1, 1, 1, 1}, 2, {2}), (Parts{{1}, {1}, {0}, {0}}));
}

TEST(MeanParts, NothingSumsToNothing) {
  EXPECT_EQ(mean_parts({}, 3, {0}), Parts{});
}

}  // namespace
}  // namespace quintet
