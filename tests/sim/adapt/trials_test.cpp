// What the controller does of a prediction that does not come true.
#include "sim/adapt/trials.h"

#include <gtest/gtest.h>

#include "sim/adapt/controller.h"
#include "sim/simulate/predict.h"
#include "sim/topology/faults/faults.h"
#include "tests/support/shipped.h"

namespace quintet {
namespace {

using namespace literals;

// The shipped toy pipeline, whose predictor says of "delegated" what is not true.
class Job {
 public:
  Job() {
    believed_.watch = watch_of(pipeline_state(timeline({}), stages).messages, sent_by(home_));
  }

  // A step that shows its last link late or well and takes so long under the plan as given, and so
  // long under any other.
  const Adaptation& step(Seconds late, Seconds as_given, Seconds otherwise) {
    Timeline shown = timeline(late);
    const Seconds took = running_ == home_ ? as_given : otherwise;
    shown.end = Instant{} + duration(took);
    last_ = adapted(believed_, shown, home_, running_, predict());
    believed_ = last_.believed;
    running_ = last_.plan;
    return last_;
  }

  bool at_home() const { return running_ == home_; }

 private:
  static constexpr int stages = 4;

  // 100 ms as given while links are late; all else 150 but for the one that is said to take 50.
  PredictStep predict() const {
    return [this](const Plan& plan, const PipelineState& state) -> Result<Seconds> {
      const bool late = state.stages[2].delay > Seconds{};
      const bool promised = plan.host_net.pipeline_delivery == Delivery::delegated &&
                            plan.parallelism.schedule == home_.parallelism.schedule;
      return plan == home_ ? 100_ms : late && promised ? 50_ms : 150_ms;
    };
  }

  Timeline timeline(Seconds late) const {
    Topology topology = test::shipped_topology("pipeline-4");
    Faults faults;
    if (late > Seconds{}) faults.hold = {"host2-host3=40ms"};
    topology = test::required(with_faults(std::move(topology), faults));
    const Program program = test::required(checked_program(model_, home_, topology, costs_));
    return test::required(simulate(program, home_, topology, costs_)).timeline;
  }

  const Model model_ = test::shipped_model("toy-pipeline");
  const Plan home_ = test::shipped_plan("toy-pipeline-warm-up");
  const CostTable costs_ = test::shipped_costs("toy-pipeline");
  Plan running_ = home_;
  Believed believed_;
  Adaptation last_;
};

// Two late steps are believed, two longer ones of the new plan are, too: 103 ms are 3 % more than
// the 100 ms before it.
TEST(Trials, LeaveAPlanThatIsSlowerThanTheOneBefore) {
  Job job;
  job.step(40_ms, 100_ms, 103_ms);
  EXPECT_EQ("delegated", job.step(40_ms, 100_ms, 103_ms).name);
  EXPECT_FALSE(job.step(40_ms, 100_ms, 103_ms).changed);
  const Adaptation& back = job.step(40_ms, 100_ms, 103_ms);
  EXPECT_TRUE(back.changed && job.at_home());
  EXPECT_EQ(as_planned, back.name);
  ASSERT_TRUE(back.back);
  EXPECT_EQ("delegated", back.back->from);
  EXPECT_NEAR(0.100, back.back->before.value, 1e-9);
  EXPECT_NEAR(0.103, back.back->after.value, 1e-9);
}

// The link is well for three steps and then late again, by as much: it is not tried again.
TEST(Trials, DoNotRepeatWhatWasSlower) {
  Job job;
  for (int step = 0; step < 4; ++step) job.step(40_ms, 100_ms, 103_ms);
  ASSERT_TRUE(job.at_home());
  for (const Seconds late : {40_ms, 40_ms, 0_ms, 0_ms, 0_ms, 40_ms, 40_ms, 40_ms})
    for (const Tried& each : job.step(late, 100_ms, 103_ms).tried)
      EXPECT_TRUE(late == 0_ms || each.name != "delegated");
  EXPECT_TRUE(job.at_home());
}

// One long step is none of the plan's doing, and 101 ms are as good as 100. What was as good twice
// stays, whatever comes later.
TEST(Trials, KeepWhatIsAsGood) {
  Job job;
  for (int step = 0; step < 2; ++step) job.step(40_ms, 100_ms, 0_ms);
  for (const Seconds took : {200_ms, 101_ms, 200_ms, 101_ms, 101_ms, 200_ms, 200_ms, 200_ms})
    EXPECT_FALSE(job.step(40_ms, 100_ms, took).changed);
  EXPECT_FALSE(job.at_home());
}

}  // namespace
}  // namespace quintet
