#include "engine/timeline/span_bytes.h"

#include <gtest/gtest.h>

namespace quintet::engine {
namespace {

RankSpans two_spans() {
  Span first;
  first.info = 1;
  first.start = {-5};
  first.moving = {7};
  first.end = {std::int64_t{1} << 61};
  first.layer = 3;
  first.micro_batch = 100000;
  first.chunk = -2;
  first.bucket = 32767;
  return {Rank{4}, {first, Span{}}, {{11}, {0}}};
}

TEST(SpanBytes, BringEveryFieldHome) {
  const Result<RankSpans> back = rank_spans(bytes_of(two_spans()), Rank{4}, 2);
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(back->rank, Rank{4});
  EXPECT_EQ(back->spans, two_spans().spans);
  EXPECT_EQ(back->cpu, two_spans().cpu);
}

TEST(SpanBytes, UnknownTimesOnTheCpuStayUnknown) {
  RankSpans spans = two_spans();
  spans.cpu.clear();
  const Result<RankSpans> back = rank_spans(bytes_of(spans), Rank{4}, 2);
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_TRUE(back->cpu.empty());
}

TEST(SpanBytes, BringNotesHome) {
  RankSpans noted = two_spans();
  noted.notes = {"2 pieces", ""};
  RankSpans back = two_spans();
  EXPECT_EQ(take_notes(note_bytes(noted), back), std::nullopt);
  EXPECT_EQ(back.notes, noted.notes);
  back = two_spans();
  EXPECT_EQ(take_notes(note_bytes(two_spans()), back), std::nullopt);
  EXPECT_TRUE(back.notes.empty());
  noted.notes.pop_back();
  EXPECT_EQ(take_notes(note_bytes(noted), back), (Error{"rank 4", "sent 1 notes on 2 spans"}));
}

TEST(SpanBytes, RefuseWhatIsNoListAndWhatTheProgramHasNot) {
  const std::vector<std::byte> bytes(49);
  EXPECT_EQ(rank_spans(bytes, Rank{4}, 2).error(),
            (Error{"rank 4", "sent 49 bytes that are no list of spans"}));
  EXPECT_EQ(step_bounds(bytes, Rank{4}).error(),
            (Error{"rank 4", "sent 49 bytes that are no list of steps"}));
  EXPECT_EQ(rank_spans(bytes_of(two_spans()), Rank{4}, 1).error(),
            (Error{"rank 4", "sent a span of instruction 1; the program has 1"}));
}

TEST(SpanBytes, BringStepsHome) {
  const std::vector<StepBounds> steps{{3, Clock::time_point(Nanoseconds(-1)), Clock::time_point()},
                                      {4, Clock::time_point(), Clock::time_point(Nanoseconds(9))}};
  const auto back = step_bounds(bytes_of(steps), Rank{0});
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(*back, steps);
}

}  // namespace
}  // namespace quintet::engine
