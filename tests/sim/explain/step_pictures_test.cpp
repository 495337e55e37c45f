#include "sim/explain/pictures/step_pictures.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/timelines.h"
#include "tests/support/xml_elements.h"

namespace quintet {
namespace {

constexpr std::int64_t millisecond = 1'000'000'000;

// Two stages, three micro-batches; each pass is of two layers, so of two kernels.
Timeline pipeline_of_two() {
  Timeline timeline = small_world(20 * millisecond);
  for (int stage = 0; stage < 2; ++stage) {
    add_track(timeline, stage);
    for (int micro_batch = 0; micro_batch < 3; ++micro_batch)
      for (int layer = 0; layer < 2; ++layer) {
        const std::int64_t start = (2 * micro_batch + layer + stage) * millisecond;
        Span& forward = add_span(timeline, stage, On::forward, start, start + millisecond);
        forward.micro_batch = micro_batch;
        Span& backward = add_span(timeline, stage, On::backward, start + 10 * millisecond,
                                  start + 11 * millisecond);
        backward.micro_batch = micro_batch;
      }
    add_span(timeline, stage, On::update, 18 * millisecond, 20 * millisecond);
  }
  return timeline;
}

std::size_t passes(const Picture& picture, const std::string& kind) {
  const auto elements = test::xml_elements(svg_file(picture));
  return static_cast<std::size_t>(
      std::count_if(elements.begin(), elements.end(), [&](const test::XmlElement& element) {
        const auto pass = element.attributes.find("data-pass");
        return pass != element.attributes.end() && pass->second == kind;
      }));
}

// 3 micro-batches x 2 stages; gradients of weights are in B.
TEST(PipelinePicture, HasAnFAndABOfEachMicroBatchOnEachStage) {
  const Timeline timeline = pipeline_of_two();
  const auto picture = pipeline_picture({"pipeline", "P"}, timeline, breakdowns(timeline));
  ASSERT_TRUE(picture);
  EXPECT_EQ(passes(*picture, "F"), 6u);
  EXPECT_EQ(passes(*picture, "B"), 6u);
  EXPECT_EQ(passes(*picture, "W"), 0u);
  EXPECT_EQ(passes(*picture, "U"), 2u);
}

// W that begins when B is over is a pass; between B's kernels it is part of B.
TEST(PipelinePicture, HasAWWhereItIsAPassOfItsOwn) {
  Timeline timeline = pipeline_of_two();
  timeline.infos[static_cast<std::size_t>(On::forward)].phase = Phase::input_gradient;
  timeline.infos[static_cast<std::size_t>(On::backward)].phase = Phase::weight_gradient;
  const auto apart = pipeline_picture({"pipeline", "P"}, timeline, breakdowns(timeline));
  EXPECT_EQ(passes(*apart, "B"), 6u);
  EXPECT_EQ(passes(*apart, "W"), 6u);
  for (Span& span : timeline.spans)
    if (span.info == static_cast<std::int32_t>(On::backward)) {
      span.start.picoseconds -= 10 * millisecond;
      span.moving.picoseconds -= 10 * millisecond;
      span.end.picoseconds -= 10 * millisecond;
    }
  const auto mixed = pipeline_picture({"pipeline", "P"}, timeline, breakdowns(timeline));
  EXPECT_EQ(passes(*mixed, "B"), 6u);
  EXPECT_EQ(passes(*mixed, "W"), 0u);
}

TEST(PipelinePicture, IsOfSeveralStages) {
  Timeline timeline = small_world(20 * millisecond);
  add_track(timeline, 0);
  EXPECT_FALSE(pipeline_picture({"pipeline", "P"}, timeline, breakdowns(timeline)));
}

TEST(StepBars, SumToTheStepToThePicosecond) {
  for (std::uint32_t seed = 1; seed < 20; ++seed) {
    const RankBreakdown all = mean(breakdowns(random_timeline(seed, {})));
    const std::vector<StepBar> steps{{"one", all, {}}};
    double sum = 0;
    for (const double part : test::values(
             test::xml_elements(svg_file(draw(step_bars({"s", "S"}, steps)))), "data-value"))
      sum += part;
    EXPECT_EQ(sum, static_cast<double>(all.step.picoseconds));
  }
}

TEST(RanksPicture, OfRandomTimelinesIsWellFormed) {
  for (std::uint32_t seed = 1; seed < 5; ++seed)
    EXPECT_FALSE(
        test::xml_elements(svg_file(ranks_picture({"r", "R"}, random_timeline(seed, {})))).empty());
}

// Stage 0 has a rank of 30 and one of 40 bytes: the bar is of the fuller.
TEST(MemoryPicture, HasTheFullestRankOfEachStage) {
  MemoryReport memory;
  memory.capacity = {100};
  memory.ranks = {{Rank{0}, 0, {10}, {20}, {}, {}, {}, {}, {}},
                  {Rank{1}, 0, {10}, {30}, {}, {}, {}, {}, {}},
                  {Rank{2}, 1, {7}, {}, {}, {}, {}, {}, {}}};
  const auto picture = memory_picture({"m", "M"}, memory);
  ASSERT_TRUE(picture);
  EXPECT_EQ(test::values(test::xml_elements(svg_file(*picture)), "data-value"),
            (std::vector<double>{10, 30, 7}));
  EXPECT_FALSE(memory_picture({"m", "M"}, {}));
}

}  // namespace
}  // namespace quintet
