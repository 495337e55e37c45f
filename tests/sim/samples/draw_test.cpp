#include "sim/samples/draw.h"

#include <gtest/gtest.h>

#include <map>

namespace quintet {
namespace {

LengthHistogram flat(int longest) {
  const auto count = static_cast<std::size_t>(longest);
  return {std::vector<double>(count, 1.0 / longest)};
}

// Of 100 equally frequent lengths each bin of 25 gets its count, whatever the numbers.
TEST(Draw, TakesFromEachBinWhatIsAskedFor) {
  std::mt19937_64 random(3);
  const auto quotas = stratified(flat(100), {25, 50, 75, 100}, {1, 0, 2, 3});
  for (int step = 0; step < 50; ++step) {
    const Lengths lengths = drawn(quotas, random);
    ASSERT_EQ(lengths.size(), 6u);
    EXPECT_TRUE(lengths[0] >= 1 && lengths[0] <= 25);
    for (const std::size_t third : {1u, 2u})
      EXPECT_TRUE(lengths[third] >= 51 && lengths[third] <= 75);
    for (const std::size_t last : {3u, 4u, 5u})
      EXPECT_TRUE(lengths[last] >= 76 && lengths[last] <= 100);
  }
}

// 3/4 of the samples have 1 token: 30,000 of 40,000 draws, with a standard deviation of 87.
TEST(Draw, FollowsTheHistogram) {
  std::mt19937_64 random(1);
  std::map<int, int> seen;
  for (const int length : drawn(unstratified({{0.75, 0, 0.25}}, 40000), random)) ++seen[length];
  EXPECT_EQ(seen.size(), 2u);
  EXPECT_NEAR(seen[1], 30000, 350);
}

// 16 x (0.3694, 0.1969, 0.1173, 0.3164) = 5.91, 3.15, 1.88, 5.06 (arXiv 2402.02447's data): whole
// parts 5 3 1 5, and the two that are left go to the largest remainders: 6 3 2 5.
TEST(Draw, RoundsCountsByLargestRemainder) {
  LengthHistogram lengths{std::vector<double>(512, 0.0)};
  lengths.share[99] = 0.3694;
  lengths.share[199] = 0.1969;
  lengths.share[299] = 0.1173;
  lengths.share[511] = 0.3164;
  EXPECT_EQ(equal_bins(512), (std::vector<int>{128, 256, 384, 512}));
  EXPECT_EQ(counts_by_share(lengths, equal_bins(512), 16), (std::vector<int>{6, 3, 2, 5}));
}

TEST(Draw, IsTheSameEveryTime) {
  std::mt19937_64 one(7), again(7);
  const auto quotas = unstratified(flat(64), 32);
  EXPECT_EQ(drawn(quotas, one), drawn(quotas, again));
  EXPECT_NE(drawn(quotas, one), Lengths(32, 1));
}

}  // namespace
}  // namespace quintet
