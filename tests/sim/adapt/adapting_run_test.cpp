// The controller between the steps of a simulated run with faults.
#include "sim/simulate/run/adapting_run.h"

#include <gtest/gtest.h>

#include "tests/support/shipped.h"

namespace quintet {
namespace {

// 40 ms on the last link of the toy pipeline (S = 4, N = 12, 10 ms a pass) from step 4 to 11.
FaultPlan late_link() {
  return test::required(parse_faults(
      R"({"name": "late", "events": [{"what": "delay", "part": "stage2-stage3", "by": "40 ms",
          "step": 4, "until_step": 12}]})",
      "faults.json"));
}

class AdaptingRun : public testing::Test {
 protected:
  FaultedRun run(bool adapts) {
    const FaultedJob job{model_, plan_, topology_, costs_, faults_};
    FaultedRunOptions options;
    options.steps = 16;
    if (adapts) options.next_plan = test::required(adapting(job, {}));
    return test::required(faulted_run(job, options));
  }

  Model model_ = test::shipped_model("toy-pipeline");
  Plan plan_ = test::shipped_plan("toy-pipeline-warm-up");
  Topology topology_ = test::shipped_topology("pipeline-4");
  CostTable costs_ = test::shipped_costs("toy-pipeline");
  FaultPlan faults_ = late_link();
};

// Two late steps are believed, two that are well again too; all else is the plan's own order.
TEST_F(AdaptingRun, LeavesThePlanForALateLinkAndReturns) {
  const FaultedRun as_it_is = run(false), adapts = run(true);
  ASSERT_EQ(16U, adapts.steps.size());
  for (const RunStep& step : adapts.steps)
    EXPECT_EQ(step.step <= 5 || step.step >= 14, step.plan == 0) << step.step;
  ASSERT_EQ(2U, adapts.plans.size());
  EXPECT_NE(std::string::npos, adapts.plans[1].find("replanned")) << adapts.plans[1];
  // Eq. 1 asks for 5 forwards more in flight; what is left is the pipeline's filling and emptying.
  EXPECT_LT(1.2 * adapts.steps[7].time, as_it_is.steps[7].time);
  EXPECT_EQ(as_it_is.steps[15].time, adapts.steps[15].time);
}

// One forward, one backward keeps no micro-batches in reserve: 450 ms without any delay, where 12
// micro-batches of three passes of 10 ms behind three forwards take 390 ms, which the passes as
// they are seen in any step allow.
TEST_F(AdaptingRun, ReturnsToWhatIsFasterThanThePlanAsGiven) {
  plan_ = test::shipped_plan("toy-pipeline-1f1b");
  const FaultedRun as_it_is = run(false), adapts = run(true);
  EXPECT_EQ(0, adapts.steps[2].plan);
  EXPECT_NEAR(0.450, as_it_is.steps[15].time.value, 0.001);
  EXPECT_NE(0, adapts.steps[15].plan);
  EXPECT_NEAR(0.390, adapts.steps[15].time.value, 0.001);
}

TEST_F(AdaptingRun, NeedsLinksBetweenStages) {
  plan_.parallelism.pipeline = 1;
  const auto refused = adapting({model_, plan_, topology_, costs_, faults_}, {});
  ASSERT_FALSE(refused);
  EXPECT_NE(std::string::npos, refused.error().text().find("parallelism.pipeline: is 1"));
}

}  // namespace
}  // namespace quintet
