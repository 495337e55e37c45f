// Choices on a small machine: never worse than a baseline, and the same on any number of threads.
#include "sim/jobs/choose.h"

#include <gtest/gtest.h>

#include "sim/jobs/policy.h"
#include "sim/jobs/routes.h"
#include "tests/sim/jobs/periodic_jobs.h"

namespace quintet {
namespace {

// Three jobs of three, two and three hosts, half of whose time is the sum, on two leaves of four.
test::SlowUplink three_jobs() {
  test::SlowUplink box;
  for (const int hosts : {3, 2, 3}) {
    box.add(test::periodic_job("job of " + std::to_string(box.decisions.size()), 20, hosts),
            {0, 4, 5});
    box.decisions.back().slots.resize(static_cast<std::size_t>(hosts));
  }
  box.machine.costs.launch.synchronise = {1.0};
  return box;
}

Chosen chosen_by(const test::SlowUplink& box, ChooseWish wish) {
  const auto reference = test::required(references(box.machine));
  return test::required(choose(box.machine, reference, wish));
}

TEST(Choose, IsNeverWorseThanABaseline) {
  const test::SlowUplink box = three_jobs();
  for (const Minimised minimised : {Minimised::worst_slowdown, Minimised::makespan}) {
    ChooseWish wish;
    wish.minimised = minimised;
    const Chosen chosen = chosen_by(box, wish);
    ASSERT_EQ(chosen.baselines.size(), 3U);
    for (const JobChoice& each : chosen.baselines) {
      if (minimised == Minimised::worst_slowdown)
        EXPECT_LE(chosen.best.outlook.worst_slowdown, each.outlook.worst_slowdown) << each.name;
      else
        EXPECT_LE(chosen.best.outlook.makespan, each.outlook.makespan) << each.name;
    }
  }
}

TEST(Choose, DoesNotDependOnThreads) {
  const test::SlowUplink box = three_jobs();
  ChooseWish wish;
  const Chosen one = chosen_by(box, wish);
  wish.threads = 4;
  const Chosen four = chosen_by(box, wish);
  EXPECT_EQ(one.best.name, four.best.name);
  EXPECT_EQ(one.best.decisions, four.best.decisions);
  EXPECT_EQ(one.best.outlook.outcome.jobs, four.best.outlook.outcome.jobs);
  EXPECT_EQ(one.simulated, four.simulated);
}

// Two jobs that must cross the uplink, as their files say, and of which half is the sum: in phase
// each step is x longer, turned by half a step none.
TEST(Choose, TurnsJobsThatMustShareALink) {
  test::SlowUplink box;
  box.add(test::periodic_job("one", 100), {0, 4});
  box.add(test::periodic_job("other", 100), {1, 5});
  box.balance();
  box.machine.jobs[0].entry.on_hosts = {0, 4};
  box.machine.jobs[1].entry.on_hosts = {1, 5};
  ChooseWish wish;
  wish.minimised = Minimised::makespan;
  const Chosen chosen = chosen_by(box, wish);
  const Seconds alone = seconds(box.alone_step(0));
  for (const JobOutlook& job : chosen.best.outlook.jobs) EXPECT_LT(job.step / alone, 1.01);
  for (const JobChoice& each : chosen.baselines)
    EXPECT_NEAR(each.outlook.jobs[0].step / alone, 1 + test::transfer_seconds() / alone.value,
                1e-6);
}

// By hand as above; bins of a 240th of a step and the latency leave less than a hundredth.
TEST(Policy, CassiniTurnsTheSecondJobByHalfAStep) {
  test::SlowUplink box;
  box.add(test::periodic_job("one", 100), {0, 4});
  box.add(test::periodic_job("other", 100), {1, 5});
  box.balance();
  const JobDecisions turned =
      test::required(decided_by(Policy::cassini, box.machine, box.decisions, 1));
  const Seconds step = seconds(box.alone_step(0));
  EXPECT_NEAR(std::abs((turned[0].offset - turned[1].offset) / step), 0.5, 0.01);
  EXPECT_NEAR(turned[0].pace / step, 1.0, 1e-9);
}

// Two jobs of the same bytes, the second of which computes twice as long: twice the GPU intensity.
// The fullest link is busy with S bytes for x seconds; two GPUs compute for 1 s and for 2 s
// meanwhile.
TEST(Policy, CruxGivesTheGpuIntenseJobTheHigherPriority) {
  test::SlowUplink box;
  box.add(test::periodic_job("one", 10), {0, 4});
  box.add(test::periodic_job("other", 10), {1, 5});
  std::vector<AloneJob> steps = test::required(alone_steps(box.machine, box.decisions));
  steps[0].computing = {1.0};
  steps[1].computing = {2.0};
  EXPECT_NEAR(gpu_intensity(steps[0], 2), 2 / test::transfer_seconds(), 1e-9);
  EXPECT_NEAR(gpu_intensity(steps[1], 2), 4 / test::transfer_seconds(), 1e-9);
  const JobDecisions decided = classes_by_intensity(box.machine, box.decisions, steps);
  EXPECT_EQ(decided[0].traffic, (TrafficClass{0, 1.0}));
  EXPECT_EQ(decided[1].traffic, (TrafficClass{1, 1.0}));
}

}  // namespace
}  // namespace quintet
