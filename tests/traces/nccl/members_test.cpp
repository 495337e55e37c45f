#include "traces/nccl/members.h"

#include <gtest/gtest.h>

namespace quintet {
namespace {

RankTrace trace(const std::vector<std::pair<std::string, std::string>>& groups) {
  RankTrace made;
  for (const auto& [name, description] : groups)
    made.groups.push_back({.name = name, .description = description});
  return made;
}

TEST(NcclMembers, TextIsReadBack) {
  for (const GroupMember member : {GroupMember{2, 8}, GroupMember{0, 0}}) {
    EXPECT_EQ(member_of({.description = member_text("", member)}), member);
    EXPECT_EQ(member_of({.description = member_text("frank 3 of 4", member)}), member);
  }
  for (const char* const other : {"", "tensor parallel", "rank x", "rank 8 of 8", "rank -1 of 2"})
    EXPECT_FALSE(member_of({.description = other})) << other;
}

// Pairs (0, 1) and (2, 3) and the world of four, whose traces were given in another order.
TEST(NcclMembers, TheCommunicatorOfAllNumbersTheTraces) {
  std::vector<RankTrace> traces{
      trace({{"pair b", "rank 1 of 2"}, {"world", "rank 3 of 4"}}),
      trace({{"world", "rank 0 of 4"}, {"pair a", "rank 0 of 2"}}),
      trace({{"world", "rank 2 of 4"}, {"pair b", "rank 0 of 2"}}),
      trace({{"world", "rank 1 of 4"}, {"pair a", "rank 1 of 2"}}),
  };
  traces[0].communications.push_back(
      {.kind = CommunicationKind::send, .group = 0, .detail = peer_text(0)});
  agree_on_ranks(traces);
  EXPECT_EQ(traces[0].rank, 3);
  EXPECT_EQ(traces[1].rank, 0);
  EXPECT_EQ(traces[2].rank, 2);
  EXPECT_EQ(traces[3].rank, 1);
  EXPECT_EQ(traces[0].groups[0].ranks, (std::vector<int>{2, 3}));
  EXPECT_EQ(traces[3].groups[1].ranks, (std::vector<int>{0, 1}));
  EXPECT_EQ(traces[0].groups[1].ranks, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(traces[0].communications[0].peer, 2);
}

TEST(NcclMembers, WithoutACommunicatorOfAllNothingIsGuessed) {
  std::vector<RankTrace> traces{trace({{"a", "rank 0 of 2"}}), trace({{"a", "rank 1 of 2"}}),
                                trace({{"b", "rank 0 of 2"}})};
  const std::vector<RankTrace> before = traces;
  agree_on_ranks(traces);
  EXPECT_EQ(traces, before);
}

TEST(NcclMembers, KnownRanksStay) {
  std::vector<RankTrace> traces{trace({{"a", "rank 0 of 2"}}), trace({{"a", "rank 1 of 2"}})};
  traces[0].rank = 7, traces[1].rank = 3;
  agree_on_ranks(traces);
  EXPECT_EQ(traces[0].rank, 7);
  EXPECT_EQ(traces[0].groups[0].ranks, (std::vector<int>{7, 3}));
}

// The profiler's files do not say of how many ranks a group is.
TEST(NcclMembers, AGroupOfUnknownSizeIsAsLargeAsItsMembersAreMany) {
  std::vector<RankTrace> traces{trace({{"a", "rank 1"}}), trace({{"a", "rank 0"}})};
  traces[0].communications.push_back({.kind = CommunicationKind::all_gather,
                                      .type = DataType::fp16,
                                      .type_known = true,
                                      .elements_in = 100,
                                      .group = 0});
  agree_on_ranks(traces);
  EXPECT_EQ(traces[0].rank, 1);
  EXPECT_EQ(traces[0].groups[0].size, 2);
  EXPECT_EQ(traces[0].communications[0].size, Bytes{400});  // 2 ranks of 100 elements of 2 bytes
  EXPECT_EQ(traces[0].communications[0].elements_out, 200);
}

}  // namespace
}  // namespace quintet
