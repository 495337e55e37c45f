#include "sim/timeline/chosen_ranks.h"

#include <gtest/gtest.h>

namespace quintet::test {
namespace {

TEST(Ranks, AreReadAsNumbersAndRanges) {
  EXPECT_EQ(*parse_ranks("0,8-11,3"), (std::vector<int>{0, 8, 9, 10, 11, 3}));
  EXPECT_EQ(*parse_ranks("5,5,4-6"), (std::vector<int>{5, 4, 6}));
}

TEST(Ranks, ThatAreNoneOrTooManyAreRefused) {
  for (const char* const wrong :
       {"", "a", "3-", "-3", "5-4", "1,,2", "1, 2", "0-1024", "0-99999999999"})
    EXPECT_FALSE(parse_ranks(wrong)) << wrong;
  EXPECT_EQ(parse_ranks("0-1023")->size(), 1024);
}

// Ranks 0 and 1 are as rank 0, rank 2 is its own; each has a span, rank 2's is a receive.
TEST(WithRanks, GivesEachItsOwnTrack) {
  Timeline timeline;
  timeline.lanes = {"compute"};
  timeline.tracks = {{Rank{0}, 2, 0, "stage 0", "host0"}, {Rank{2}, 1, 1, "stage 1", "host1"}};
  timeline.infos = {{.name = "send", .kind = SpanKind::send},
                    {.name = "receive", .kind = SpanKind::receive}};
  timeline.spans = {{.info = 0, .track = 0, .end = {10}, .flow = 7},
                    {.info = 1, .track = 1, .end = {20}, .flow = 7}};
  timeline.host_gaps = {{.track = 1, .start = {3}, .end = {4}}};
  timeline.end = {20};
  const Timeline chosen = with_ranks(timeline, {2, 1}, {0, 0, 1});
  EXPECT_EQ(chosen.tracks, (std::vector<Track>{{Rank{2}, 1, 1, "stage 1", "host1"},
                                               {Rank{1}, 1, 0, "stage 0", ""}}));
  ASSERT_EQ(chosen.spans.size(), 2);
  EXPECT_EQ(chosen.spans[0].flow, 7);   // its own track
  EXPECT_EQ(chosen.spans[1].flow, -1);  // rank 0 stands for it
  EXPECT_EQ(chosen.spans[1].track, 1);
  EXPECT_EQ(chosen.host_gaps.front().track, 0);
  EXPECT_EQ(chosen.end, timeline.end);
}

}  // namespace
}  // namespace quintet::test
