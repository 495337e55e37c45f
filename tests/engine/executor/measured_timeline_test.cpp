// The measured timeline has the predicted one's names, and its breakdown accounts for all time.
#include "engine/executor/measured_timeline.h"

#include <gtest/gtest.h>

#include <map>

#include "sim/timeline/breakdown.h"
#include "tests/engine/executor/toy.h"

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
