// What a walk without most of a step's steady part tells is the whole step, to the picosecond.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "sim/explain/breakdown.h"
#include "sim/explain/difference/charges.h"
#include "sim/simulate/fold/repeated_calls.h"
#include "sim/simulate/predict.h"
#include "tests/sim/simulate/random_step.h"
#include "tests/sim/simulate/spans_by_rank.h"

namespace quintet {
namespace {

using test::required;

test::RandomStep long_step(PipelineSchedule schedule, int micro_batches) {
  test::RandomStep step;
  step.model = test::shipped_model("llama-3-8b");
  step.model.layers = 8;
  step.plan.parallelism.pipeline = 4;
  step.plan.parallelism.tensor = 2;
  step.plan.parallelism.sequence_length = 512;
  step.plan.parallelism.schedule = schedule;
  if (schedule == PipelineSchedule::interleaved) step.plan.parallelism.virtual_stages = 2;
  step.plan.parallelism.micro_batches = micro_batches;
  step.topology = test::shipped_topology("dgx-h100-1");
  return step;
}

Program compiled(const test::RandomStep& step) {
  static const CostTable costs = test::shipped_costs("a100-sxm-80gb");
  return required(checked_program(step.model, step.plan, step.topology, costs));
}

// A program without k periods is the one that is compiled for as many micro-batches less: nobody
// has told the one of the other.
TEST(RepeatedCalls, LeftOutMakeTheProgramOfFewerMicroBatches) {
  for (const PipelineSchedule schedule :
       {PipelineSchedule::one_f_one_b, PipelineSchedule::interleaved, PipelineSchedule::zb_h1}) {
    const Program all = compiled(long_step(schedule, 48));
    const auto found = repetition(all);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->micro_batches, schedule == PipelineSchedule::interleaved ? 4 : 1);
    const int periods = 16 / found->micro_batches;
    const auto shorter = without_periods(all, *found, periods);
    ASSERT_TRUE(shorter.has_value());
    EXPECT_TRUE(*shorter == compiled(long_step(schedule, 32)));
  }
}

// All forwards, then all backwards: nothing of a micro-batch's forward and backward is together.
TEST(RepeatedCalls, AreNotThereWhereNoPartOfTheStepIsSteady) {
  EXPECT_FALSE(repetition(compiled(long_step(PipelineSchedule::gpipe, 48))).has_value());
}

Execution executed(const test::RandomStep& step, const Program& program, Folding folding,
                   ShownTimeline shown) {
  static const CostTable costs = test::shipped_costs("a100-sxm-80gb");
  PredictOptions options;
  options.folding = folding;
  options.shown = shown;
  return required(simulate(program, step.plan, step.topology, costs, options));
}

double carried_by(const Execution& execution, std::size_t link) {
  const std::int32_t load = execution.load_of_link[link];
  return load < 0 ? 0.0 : execution.loads[static_cast<std::size_t>(load)].bytes;
}

// Messages by number on both ends: those of one walk may be numbered otherwise than another's.
std::map<std::int32_t, int> ends_of_messages(const Timeline& timeline) {
  std::map<std::int32_t, int> ends;
  for (const Span& span : timeline.spans)
    if (span.flow >= 0) ++ends[span.flow];
  return ends;
}

// Whether part of the step was left out.
bool expect_equal(const test::RandomStep& step) {
  const Program program = compiled(step);
  const Execution full = executed(step, program, Folding::none, ShownTimeline::whole);
  const Execution folded = executed(step, program, Folding::equivalent, ShownTimeline::whole);
  EXPECT_EQ(full.timeline.end, folded.timeline.end);
  const auto of_all = spans_by_rank(full.timeline);
  for (const auto& [rank, spans] : spans_by_rank(folded.timeline))
    EXPECT_TRUE(of_all.at(rank) == spans) << "rank " << rank;
  for (const auto& [message, ends] : ends_of_messages(folded.timeline)) EXPECT_LE(ends, 2);
  for (std::size_t link = 0; link < full.load_of_link.size(); ++link)
    EXPECT_EQ(carried_by(full, link), carried_by(folded, link)) << "link " << link;
  const Execution part =
      executed(step, program, Folding::equivalent, ShownTimeline::without_repetition);
  EXPECT_EQ(breakdowns(folded.timeline), breakdowns(part.timeline, part.repeated));
  EXPECT_EQ(charges(folded.timeline), charges(part.timeline, part.repeated));
  return part.repeated.times > 0;
}

TEST(Repetition, OfAPipelineIsFoundAndChangesNothing) {
  EXPECT_TRUE(expect_equal(long_step(PipelineSchedule::one_f_one_b, 96)));
  EXPECT_TRUE(expect_equal(long_step(PipelineSchedule::zb_h1, 96)));
  EXPECT_TRUE(expect_equal(long_step(PipelineSchedule::interleaved, 192)));
}

TEST(Repetition, ChangesNothingOnRandomClusters) {
  int left_out = 0;
  for (int seed = 1; seed <= 24; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(static_cast<std::uint64_t>(seed));
    test::RandomStep step = test::random_step(dice);
    step.plan.parallelism.micro_batches = 72;
    left_out += expect_equal(step) ? 1 : 0;
    if (::testing::Test::HasFailure()) break;
  }
  RecordProperty("left_out", left_out);
  EXPECT_GT(left_out, 4);
}

}  // namespace
}  // namespace quintet
