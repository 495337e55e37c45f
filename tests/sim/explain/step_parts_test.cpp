#include "sim/explain/difference/step_parts.h"

#include <gtest/gtest.h>

namespace quintet {
namespace {

Instant at(std::int64_t picoseconds) {
  return {picoseconds};
}

// A forward of one layer, then an all-reduce, on one rank; `second`: another instruction behind it.
Timeline step(std::int64_t computes, std::int64_t moves, std::int64_t second = 0) {
  Timeline timeline;
  timeline.lanes = {"compute", "network"};
  timeline.tracks.push_back({Rank{0}, 1, 0, "", ""});
  timeline.infos.push_back(
      {"up", SpanKind::compute, OperatorKind::mlp_up, Phase::forward, Axis::data, Bytes{}, 0, ""});
  timeline.infos.push_back({"reduce", SpanKind::collective, OperatorKind::norm, Phase::forward,
                            Axis::data, Bytes{8}, 1, ""});
  Span one;
  one.end = at(computes);
  one.layer = 0;
  Span two;
  two.info = 1;
  two.start = two.moving = at(computes);
  two.end = at(computes + moves);
  timeline.spans = {one, two};
  timeline.end = two.end;
  if (second > 0) {
    timeline.infos.push_back({"down", SpanKind::compute, OperatorKind::mlp_down, Phase::forward,
                              Axis::data, Bytes{}, 0, ""});
    Span three;
    three.info = 2;
    three.start = three.moving = two.end;
    three.end = timeline.end = at(computes + moves + second);
    three.layer = 0;
    timeline.spans.push_back(three);
  }
  return timeline;
}

Compared sum(const std::vector<DifferencePart>& parts) {
  Compared whole;
  for (const DifferencePart& part : parts) {
    whole.predicted += part.time.predicted;
    whole.measured += part.time.measured;
  }
  return whole;
}

TEST(StepParts, OfOneProgramAreTheDifferences) {
  const Timeline base = step(100, 40), other = step(100, 70);
  const Result<StepParts> parts = step_parts(base, other);
  ASSERT_TRUE(parts.has_value());
  const Result<Difference> both = difference(base, other);
  ASSERT_TRUE(both.has_value());
  ASSERT_TRUE(parts->difference.has_value());
  EXPECT_EQ(parts->layers, both->layers);
  EXPECT_EQ(parts->axes, both->axes);
  EXPECT_EQ(parts->stack, both->stack);
}

TEST(StepParts, OfTwoProgramsMakeUpBothSteps) {
  // 100 + 40 against 90 + 30 + 25, which has one instruction more.
  const Result<StepParts> parts = step_parts(step(100, 40), step(90, 30, 25));
  ASSERT_TRUE(parts.has_value());
  EXPECT_FALSE(parts->difference.has_value());
  EXPECT_FALSE(parts->other_program.empty());
  const Compared whole{Duration{140}, Duration{145}};
  EXPECT_EQ(parts->step, whole);
  EXPECT_EQ(sum(parts->stack), whole);
  EXPECT_EQ(sum(parts->layers), whole);
  EXPECT_EQ(sum(parts->axes), whole);
  // What only the other has stands behind, with nothing on the base's side.
  ASSERT_EQ(parts->operators.size(), 2U);
  EXPECT_EQ(sum(parts->operators), (Compared{Duration{100}, Duration{115}}));
  EXPECT_EQ(parts->operators[1].time, (Compared{Duration{0}, Duration{25}}));
}

TEST(StepParts, OfNoRankIsNothing) {
  EXPECT_FALSE(step_parts(Timeline{}, step(1, 1)).has_value());
}

}  // namespace
}  // namespace quintet
