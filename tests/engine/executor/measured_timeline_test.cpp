// The measured timeline has the predicted one's names, and its breakdown accounts for all time.
#include "engine/timeline/measured_timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "sim/explain/breakdown.h"
#include "tests/support/toy_steps.h"

namespace quintet::engine::test {
namespace {

Toy piped() {
  Toy made = toy(toy_llama());
  made.plan.parallelism.pipeline = 2;
  made.plan.parallelism.data = 2;
  made.plan.parallelism.micro_batches = toy_sequences / 2;
  return made;
}

Timeline timeline_of(const Toy& toy) {
  Curve curve = train(toy, 2);
  EXPECT_FALSE(curve.error) << curve.error->text();
  std::vector<RankSpans> ranks;
  for (std::size_t rank = 0; rank < curve.last_spans.size(); ++rank)
    ranks.push_back({id_at<Rank>(rank), std::move(curve.last_spans[rank])});
  return measured_timeline(program_of(toy), ranks);
}

TEST(MeasuredTimeline, NamesAreThoseOfTheProgram) {
  const Program program = program_of(piped());
  const Timeline timeline = timeline_of(piped());
  std::size_t number = 0;
  for (const Body& body : program.bodies)
    for (const Instruction& instruction : body.instructions) {
      EXPECT_EQ(timeline.infos[number].name, instruction.name);
      EXPECT_EQ(timeline.infos[number++].lane, instruction.lane.value);
    }
  EXPECT_EQ(timeline.infos.size(), number);
  EXPECT_EQ(timeline.tracks.size(), 4u);
}

// Four micro-batches, two replicas: an activation and a gradient each between the two stages.
TEST(MeasuredTimeline, SendsAndReceivesShareTheirFlow) {
  const Timeline timeline = timeline_of(piped());
  std::map<std::int32_t, int> flows;
  for (const Span& span : timeline.spans)
    if (span.flow >= 0) ++flows[span.flow];
  EXPECT_EQ(flows.size(), 16u);
  for (const auto& [flow, spans] : flows) EXPECT_EQ(spans, 2) << flow;
}

// Data moves when the last of a group has come, though an early one's bytes were there before.
int collectives_that_waited(const Timeline& timeline) {
  int waits = 0;
  for (const Span& span : timeline.spans) {
    if (timeline.infos[static_cast<std::size_t>(span.info)].kind != SpanKind::collective) continue;
    for (const Span& other : timeline.spans)
      waits += &other != &span && other.info == span.info && other.start == span.moving;
  }
  return waits;
}

// Whether a rank comes late is chance: in a third of the runs none does.
TEST(MeasuredTimeline, CollectivesMoveWhenTheLastRankHasCome) {
  int waits = 0;
  for (int run = 0; run < 30 && waits == 0; ++run)
    waits = collectives_that_waited(timeline_of(piped()));
  EXPECT_GT(waits, 0);
}

TEST(MeasuredTimeline, MessagesMoveWhenTheSenderHasCome) {
  const Timeline timeline = timeline_of(piped());
  std::map<std::int32_t, std::vector<const Span*>> ends;
  for (const Span& span : timeline.spans)
    if (span.flow >= 0) ends[span.flow].push_back(&span);
  for (const auto& [flow, both] : ends) {
    ASSERT_EQ(both.size(), 2u);
    const bool first =
        timeline.infos[static_cast<std::size_t>(both[0]->info)].kind == SpanKind::receive;
    const Span &receive = *both[first ? 0 : 1], &send = *both[first ? 1 : 0];
    EXPECT_EQ(receive.moving, std::clamp(send.start, receive.start, receive.end));
  }
}

TEST(MeasuredTimeline, TheBreakdownSumsToTheStep) {
  const Timeline timeline = timeline_of(piped());
  const std::vector<RankBreakdown> all = breakdowns(timeline);
  ASSERT_EQ(all.size(), 4u);
  for (const RankBreakdown& each : all) {
    EXPECT_EQ(sum(each), each.step);
    EXPECT_EQ(each.step, timeline.end - Instant{});
    EXPECT_GT(each.compute, Duration{});
  }
}

}  // namespace
}  // namespace quintet::engine::test
