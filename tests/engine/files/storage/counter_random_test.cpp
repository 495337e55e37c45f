#include "engine/files/storage/counter_random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace quintet {
namespace {

// Random123's kat_vectors for philox4x32 with 10 rounds: zeros, ones, digits of pi.
TEST(Philox, GivesTheAuthorsKnownAnswers) {
  using kernels::philox;
  using Words = kernels::PhiloxWords;
  EXPECT_EQ(philox(0, Words{}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox(0xffffffffffffffff, Words{ones, ones, ones, ones}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox(0x299f31d0a4093822, Words{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Shuffled, IsAPermutationForEveryCount) {
  for (const std::uint64_t count : {1u, 2u, 3u, 4u, 5u, 16u, 17u, 63u, 64u, 65u, 1000u}) {
    std::vector<std::uint64_t> found(count), expected(count);
    for (std::uint64_t i = 0; i < count; ++i) found[i] = shuffled({7, 1}, i, count);
    std::iota(expected.begin(), expected.end(), std::uint64_t{0});
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, expected) << count;
  }
}

TEST(Shuffled, AnotherEpochOrSeedIsAnotherOrder) {
  int same_epoch = 0, same_seed = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    same_epoch += shuffled({7, 1}, i, 1000) == shuffled({7, 2}, i, 1000) ? 1 : 0;
    same_seed += shuffled({7, 1}, i, 1000) == shuffled({8, 1}, i, 1000) ? 1 : 0;
  }
  // Two random permutations share one place on average, 10 with a chance of 1e-7 (Poisson).
  EXPECT_LT(same_epoch, 10);
  EXPECT_LT(same_seed, 10);
}

// 40,000 numbers: the standard error of the mean is 0.005, of the variance 0.0071, of the fourth
// moment 0.049 (its variance is 96); five of each.
TEST(RandomNormals, HaveTheMomentsOfTheNormalDistribution) {
  double sum = 0, squares = 0, fourths = 0;
  for (std::uint64_t block = 0; block < 10'000; ++block)
    for (const float number : random_normals({1, 2}, block)) {
      const double square = double{number} * double{number};
      sum += double{number};
      squares += square;
      fourths += square * square;
    }
  EXPECT_NEAR(sum / 40'000, 0.0, 0.025);
  EXPECT_NEAR(squares / 40'000, 1.0, 0.036);
  EXPECT_NEAR(fourths / 40'000, 3.0, 0.25);
}

TEST(RandomBelow, ReachesEveryNumberEvenly) {
  std::vector<int> found(10);
  for (std::uint64_t i = 0; i < 10'000; ++i)
    ++found[static_cast<std::size_t>(random_below({3, 4}, i, 10))];
  // 1,000 each with a standard deviation of 30; five of them.
  for (const int count : found) EXPECT_NEAR(count, 1000, 150);
}

}  // namespace
}  // namespace quintet
