#include "engine/train/failed_rank.h"

#include <gtest/gtest.h>

namespace quintet::engine {
namespace {

TEST(RankWords, LeaveOutTheNameThatIsSaidAlready) {
  const Error own{"rank 1: rank 1: /full", "cannot be written"};
  EXPECT_EQ(own_words(own, Rank{1}), "/full: cannot be written");
  EXPECT_EQ(complaint(own, Rank{1}), "/full: cannot be written");
  EXPECT_EQ(complaint({"/full", "cannot be written"}, Rank{1}), "/full: cannot be written");
}

TEST(RankWords, NameTheRankThatWasLost) {
  const Error other{"rank 12", "its connection closed"};
  EXPECT_EQ(complaint(other, Rank{1}), "lost rank 12: its connection closed");
  EXPECT_TRUE(blames_another(other, Rank{1}));
  EXPECT_FALSE(blames_another({"rank 1", "fell"}, Rank{1}));
}

}  // namespace
}  // namespace quintet::engine
