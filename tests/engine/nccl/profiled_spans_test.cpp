#include "engine/nccl/plugins/profiled_spans.h"

#include <gtest/gtest.h>

#include "tests/support/two_by_two.h"

namespace quintet::engine::test {
namespace {

// Instructions of two_by_two(), by their place among all.
enum Which : std::int32_t { sum, gather, send, receive };

ProfiledOperation operation(std::string communicator, std::string function, std::uint64_t took) {
  ProfiledOperation made;
  made.communicator = std::move(communicator);
  made.function = std::move(function);
  if (made.function != "Send" && made.function != "Recv") {
    made.algorithm = "RING";
    made.protocol = "LL128";
  }
  made.channels = 2;
  made.duration = Seconds{static_cast<double>(took) * 1e-9};
  made.times = {{0, 5000, 5000 + took}, {1, 5300, 5300 + took / 2}};
  return made;
}

Span span(Which what, std::int64_t start) {
  Span made;
  made.info = what;
  made.start = made.moving = {start};
  made.end = {start + 5};
  return made;
}

// Rank 0's step: two messages to rank 2, then its two collectives; in no order here.
RankSpans one_step() {
  return {Rank{0}, {span(gather, 40), span(send, 10), span(sum, 30), span(send, 20)}};
}

// Takes 1000 and 2000 ns per message, 3000 and 4000 per collective, and 10 times as long each step.
std::vector<ProfiledOperation> steps(std::uint64_t count) {
  const std::string route = "activation from rank 0 to rank 2";
  std::vector<ProfiledOperation> profile;
  std::uint64_t factor = 1;
  for (std::uint64_t step = 0; step < count; ++step, factor *= 10) {
    profile.push_back(operation(route, "Send", 1000 * factor));
    profile.push_back(operation("data", "AllReduce", 3000 * factor));  // communicators run beside
    profile.push_back(operation(route, "Send", 2000 * factor));        // each other
    profile.push_back(operation("data", "AllGather", 4000 * factor));
    for (const std::size_t place : {1, 3}) profile[profile.size() - 4 + place].sequence = step;
  }
  return profile;
}

TEST(ProfiledSpans, HaveNotesOfTheirOwnStep) {
  RankSpans spans = one_step();
  EXPECT_EQ(note_operations(two_by_two(), steps(3), {1, 3}, spans), (Noted{4, 0}));
  EXPECT_EQ(spans.notes, (std::vector<std::string>{
                             "NCCL RING LL128, 2 channels, 20.0 to 40.0 us, begun within 0.3 us",
                             "NCCL, 2 channels, 5.0 to 10.0 us, begun within 0.3 us",
                             "NCCL RING LL128, 2 channels, 15.0 to 30.0 us, begun within 0.3 us",
                             "NCCL, 2 channels, 10.0 to 20.0 us, begun within 0.3 us"}));
}

TEST(ProfiledSpans, KeepWhatWasNotedBefore) {
  RankSpans spans = one_step();
  spans.notes = {"1 piece", "", "", ""};
  note_operations(two_by_two(), steps(1), {0, 1}, spans);
  EXPECT_EQ(spans.notes[0],
            "1 piece; NCCL RING LL128, 2 channels, 2.0 to 4.0 us, begun within 0.3 us");
}

// The profile's last lines may be late: the GPU is watched from another thread.
TEST(ProfiledSpans, DoNotNeedWhatCameAfterThem) {
  std::vector<ProfiledOperation> late = steps(3);
  late.resize(10);
  RankSpans spans = one_step();
  EXPECT_EQ(note_operations(two_by_two(), late, {1, 3}, spans), (Noted{4, 0}));
  spans = one_step();
  EXPECT_EQ(note_operations(two_by_two(), late, {2, 3}, spans), (Noted{0, 4}));
}

// Nothing says any more which is which.
TEST(ProfiledSpans, AreLeftAloneWhereTheProfileDoesNotAgree) {
  std::vector<ProfiledOperation> lost = steps(3);
  lost.erase(lost.begin() + 1);  // the sum of step 0 ...
  lost.erase(lost.begin() + 2);  // ... and its gather: numbers and kinds agree again
  RankSpans spans = one_step();
  EXPECT_EQ(note_operations(two_by_two(), lost, {1, 3}, spans), (Noted{2, 2}));
  EXPECT_EQ(spans.notes[0], "");
  EXPECT_NE(spans.notes[1], "");
  std::vector<ProfiledOperation> other = steps(1);
  std::swap(other[1].function, other[3].function);
  spans = one_step();
  EXPECT_EQ(note_operations(two_by_two(), other, {0, 1}, spans), (Noted{2, 2}));
  spans = one_step();
  EXPECT_EQ(note_operations(two_by_two(), steps(3), {0, 2}, spans), (Noted{0, 4}));
}

// Those of an all-to-all, which NCCL makes of messages on the communicator of the collectives.
TEST(ProfiledSpans, AreNotMixedUpWithMessagesOfAnAllToAll) {
  std::vector<ProfiledOperation> profile = steps(1);
  profile.push_back(operation("data", "Send", 7));
  profile.push_back(operation("data", "Recv", 7));
  RankSpans spans = one_step();
  EXPECT_EQ(note_operations(two_by_two(), profile, {0, 1}, spans), (Noted{4, 0}));
}

// Each lane's collectives go through a communicator of their own, by the same name: here the gather
// is on a lane of its own, too.
TEST(ProfiledSpans, OfEachLaneAreOfItsOwnCommunicator) {
  Program program = two_by_two();
  program.lanes.push_back({LaneKind::communication, "weights"});
  program.bodies[0].instructions[1].lane = LaneId{2};
  std::vector<ProfiledOperation> profile = steps(1);
  profile[1].id = "a";
  profile[3].id = "b";
  RankSpans spans = one_step();
  EXPECT_EQ(note_operations(program, profile, {0, 1}, spans), (Noted{4, 0}));
  EXPECT_EQ(spans.notes[0], "NCCL RING LL128, 2 channels, 2.0 to 4.0 us, begun within 0.3 us");
  EXPECT_EQ(spans.notes[2], "NCCL RING LL128, 2 channels, 1.5 to 3.0 us, begun within 0.3 us");
  // Which is which cannot be told where they do the same.
  std::get<Collective>(program.bodies[0].instructions[1].action).kind = CollectiveKind::all_reduce;
  profile[3].function = "AllReduce";
  spans = one_step();
  EXPECT_EQ(note_operations(program, profile, {0, 1}, spans), (Noted{2, 2}));
}

TEST(ProfiledSpans, SayWhenAnEndWasNotSeen) {
  ProfiledOperation cut = operation("data", "AllReduce", 10);
  cut.duration.reset();
  EXPECT_EQ(note_of(cut), "NCCL RING LL128, 2 channels, not seen to end");
  cut = operation("data", "AllReduce", 1500);
  cut.channels = 1;
  cut.times.pop_back();
  EXPECT_EQ(note_of(cut), "NCCL RING LL128, 1 channel, 1.5 us");
}

}  // namespace
}  // namespace quintet::engine::test
