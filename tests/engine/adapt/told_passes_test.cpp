#include "engine/adapt/told_passes.h"

#include <gtest/gtest.h>

#include "sim/adapt/pipeline_state.h"
#include "sim/compile/step_program.h"
#include "sim/simulate/predict.h"
#include "tests/support/shipped.h"

namespace quintet::engine {
namespace {

using namespace literals;

struct Step {
  Plan plan;
  Program program;
  Timeline timeline;
};

// The shipped toy pipeline of four stages and twelve micro-batches, its first link 20 ms late.
Step late_step() {
  const Model model = test::shipped_model("toy-pipeline");
  const Plan plan = test::shipped_plan("toy-pipeline-warm-up");
  const CostTable costs = test::shipped_costs("toy-pipeline");
  const Topology topology = test::shipped_topology("pipeline-4-20ms");
  Program program = test::required(checked_program(model, plan, topology, costs));
  Timeline timeline = test::required(simulate(program, plan, topology, costs)).timeline;
  return {plan, std::move(program), std::move(timeline)};
}

// As ranks tell of it whose clocks are so far apart.
std::vector<ToldPass> told(const Step& step, const std::vector<Duration>& clocks) {
  const std::size_t count = told_passes_of(step.plan.parallelism);
  std::vector<ToldPass> all;
  for (std::size_t track = 0; track < step.timeline.tracks.size(); ++track) {
    std::vector<Span> spans;
    for (Span span : step.timeline.spans) {
      if (static_cast<std::size_t>(span.track) != track) continue;
      span.start = span.start + clocks[track];
      span.end = span.end + clocks[track];
      spans.push_back(span);
    }
    for (const ToldPass& pass : told_passes(step.program, spans, count)) all.push_back(pass);
  }
  return all;
}

// Ten milliseconds a pass; messages of the first link take 20 ms more, whatever the clocks say.
TEST(ToldPasses, SayWhatThePipelineDidWithoutACommonClock) {
  const Step step = late_step();
  const Duration second{1'000'000'000'000};
  const std::vector<Duration> together(4), apart{{}, second, {}, Duration{} - second};
  const PipelineState seen = pipeline_state(step.timeline, 4);
  for (const auto& clocks : {together, apart}) {
    const Result<Timeline> timeline = told_timeline(step.program, told(step, clocks));
    ASSERT_TRUE(timeline) << timeline.error().text();
    const PipelineState state = pipeline_state(*timeline, 4);
    for (std::size_t stage = 0; stage < 4; ++stage) {
      EXPECT_NEAR(seen.stages[stage].forward.value, state.stages[stage].forward.value, 1e-9);
      EXPECT_NEAR(seen.stages[stage].input_gradient.value, state.stages[stage].input_gradient.value,
                  1e-9);
    }
    ASSERT_EQ(3U, state.messages.size());
    EXPECT_NEAR(0.020, state.messages[0].value().value, 1e-4);
    EXPECT_NEAR(0.000, state.messages[1].value().value, 1e-4);
    EXPECT_NEAR(0.000, state.messages[2].value().value, 1e-4);
  }
}

TEST(ToldPasses, AreRefusedWhereTheyAreOfAnotherProgram) {
  const Step step = late_step();
  std::vector<ToldPass> all = told(step, std::vector<Duration>(4));
  all[told_passes_of(step.plan.parallelism)].info = 100'000;
  const Result<Timeline> timeline = told_timeline(step.program, all);
  ASSERT_FALSE(timeline);
  EXPECT_EQ("rank 1: tells of passes of another program", timeline.error().text());
}

}  // namespace
}  // namespace quintet::engine
