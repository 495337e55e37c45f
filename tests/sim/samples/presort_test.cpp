#include "sim/samples/presort.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace quintet {
namespace {

using Dealt = std::vector<std::vector<std::size_t>>;

// The drawing of presort.h, from another order: 4 9 7 | 8 5 6.
TEST(Presort, SnakesFromTheLongestToTheShortest) {
  EXPECT_EQ(snaked(std::vector<int>{4, 9, 7, 8, 5, 6}, 3), (Dealt{{1, 0}, {3, 4}, {2, 5}}));
}

TEST(Presort, LeavesEqualSamplesInTheirOrder) {
  EXPECT_EQ(snaked(std::vector<int>{5, 5, 5, 5}, 2), (Dealt{{0, 3}, {1, 2}}));
}

// 6 + 1 = 5 + 2 = 4 + 3 inside each group of three; the last group has one rank.
TEST(Presort, DealsInsideGroupsOnly) {
  const std::vector<Lengths> drawn{{1, 2}, {6, 5}, {3, 4}, {9, 9}};
  EXPECT_EQ(presorted(drawn, 3), (std::vector<Lengths>{{6, 1}, {5, 2}, {4, 3}, {9, 9}}));
}

// Whatever the group, the same samples are there.
TEST(Presort, LosesAndInventsNoSample) {
  std::mt19937_64 random(5);
  std::vector<Lengths> drawn(12);
  Lengths all;
  for (Lengths& rank : drawn)
    for (int i = 0; i < 5; ++i) all.push_back(rank.emplace_back(static_cast<int>(random() % 90)));
  std::sort(all.begin(), all.end());
  for (const int group : {1, 2, 5, 12}) {
    Lengths dealt;
    for (const Lengths& rank : presorted(drawn, group)) {
      EXPECT_EQ(rank.size(), 5u);
      dealt.insert(dealt.end(), rank.begin(), rank.end());
    }
    std::sort(dealt.begin(), dealt.end());
    EXPECT_EQ(dealt, all) << group;
  }
}

}  // namespace
}  // namespace quintet
