// Jobs that share a link, by hand; jobs that share none, to the picosecond as they are alone.
#include <gtest/gtest.h>

#include "tests/sim/jobs/periodic_jobs.h"

namespace quintet {
namespace {

using test::periodic_job;
using test::SlowUplink;
using test::transfer_seconds;

std::vector<double> walked_seconds(const JobOutcome& job) {
  std::vector<double> all;
  for (const Duration step : job.walked) all.push_back(seconds(step).value);
  return all;
}

TEST(JointRun, TakesAJobAloneForItsOwnStep) {
  SlowUplink box;
  box.add(periodic_job("one", 5), {0, 4});
  box.balance();
  const JobOutcome job = box.run().jobs.front();
  EXPECT_EQ(job.walked, std::vector<Duration>(job.walked.size(), box.alone_step(0)));
  EXPECT_EQ(job.ends - job.begins, (Duration{5 * box.alone_step(0).picoseconds}));
}

// A million steps are walked three times or four, and end as late as a million do.
TEST(JointRun, PutsTheClockForwardOverStepsThatRepeat) {
  SlowUplink box;
  box.add(periodic_job("one", 1'000'000), {0, 4});
  box.balance();
  const JointOutcome outcome = box.run();
  EXPECT_EQ(outcome.repeats, Repeats::exactly);
  EXPECT_LT(outcome.jobs.front().walked.size(), 8U);
  EXPECT_EQ(outcome.jobs.front().steps, 1'000'000);
  EXPECT_EQ(outcome.jobs.front().ends, (Duration{1'000'000 * box.alone_step(0).picoseconds}));
}

// Two pairs, each below its own leaf.
TEST(JointRun, LeavesJobsThatShareNoLinkAsTheyAre) {
  SlowUplink box;
  box.add(periodic_job("left", 4), {0, 1});
  box.add(periodic_job("right", 3), {4, 5});
  box.balance();
  const JointOutcome outcome = box.run();
  for (std::size_t job = 0; job < 2; ++job)
    EXPECT_EQ(outcome.jobs[job].walked,
              std::vector<Duration>(outcome.jobs[job].walked.size(), box.alone_step(job)));
}

// Work c, then a sum of c = latency + x. Together both have half the link: each step is x longer.
TEST(JointRun, SharesTheLinkOfJobsInPhase) {
  SlowUplink box;
  box.add(periodic_job("one", 3), {0, 4});
  box.add(periodic_job("other", 3), {1, 5});
  box.balance();
  const double expected = seconds(box.alone_step(0)).value + transfer_seconds();
  for (const JobOutcome& job : box.run().jobs)
    for (const double step : walked_seconds(job)) EXPECT_NEAR(step, expected, 1e-9);
}

// The other begins c later: it works while the first sums.
TEST(JointRun, KeepsJobsApartThatBeginHalfAStepApart) {
  SlowUplink box;
  box.add(periodic_job("one", 50), {0, 4});
  box.add(periodic_job("other", 50), {1, 5});
  box.balance();
  box.decisions[1].offset = box.machine.costs.launch.synchronise;
  const JointOutcome outcome = box.run();
  for (const JobOutcome& job : outcome.jobs) {
    EXPECT_EQ(job.walked, std::vector<Duration>(job.walked.size(), box.alone_step(0)));
    EXPECT_EQ(job.steps, 50);
  }
}

// The first has the link to itself. The other's bytes wait for it, x, and then its steps fall into
// the gaps: 2c + x, then 2c each.
TEST(JointRun, LetsTheHigherPriorityGoFirst) {
  SlowUplink box;
  box.add(periodic_job("high", 3), {0, 4});
  box.add(periodic_job("low", 3), {1, 5});
  box.balance();
  box.decisions[0].traffic.priority = 1;
  const JointOutcome outcome = box.run();
  const double alone = seconds(box.alone_step(0)).value;
  for (const double step : walked_seconds(outcome.jobs[0])) EXPECT_NEAR(step, alone, 1e-9);
  const std::vector<double> low = walked_seconds(outcome.jobs[1]);
  ASSERT_EQ(low.size(), 3U);
  EXPECT_NEAR(low[0], alone + transfer_seconds(), 1e-9);
  EXPECT_NEAR(low[1], alone, 1e-9);
  EXPECT_NEAR(low[2], alone, 1e-9);
}

// Of weights 3 and 1 the first has 3/4 of the link: 4x/3 for its bytes, x/3 more than alone; the
// other has moved x/3 by then and has the rest to itself: x more.
TEST(JointRun, SharesByWeight) {
  SlowUplink box;
  box.add(periodic_job("heavy", 1), {0, 4});
  box.add(periodic_job("light", 1), {1, 5});
  box.balance();
  box.decisions[0].traffic.weight = 3;
  const JointOutcome outcome = box.run();
  const double alone = seconds(box.alone_step(0)).value;
  EXPECT_NEAR(walked_seconds(outcome.jobs[0])[0], alone + transfer_seconds() / 3, 1e-9);
  EXPECT_NEAR(walked_seconds(outcome.jobs[1])[0], alone + transfer_seconds(), 1e-9);
}

// Steps that begin three times their length apart.
TEST(JointRun, HoldsStepsToTheirPace) {
  SlowUplink box;
  box.add(periodic_job("slow", 100), {0, 4});
  box.balance();
  box.decisions[0].pace = 3.0 * seconds(box.alone_step(0));
  const JobOutcome job = box.run().jobs.front();
  EXPECT_EQ(job.ends - job.begins, (Duration{(99 * 3 + 1) * box.alone_step(0).picoseconds}));
}

// Both want host 0; who arrives later begins when the other is over.
TEST(JointRun, WaitsForPlacesThatAreTaken) {
  SlowUplink box;
  box.add(periodic_job("first", 4), {0, 4});
  box.add(periodic_job("second", 2), {0, 1});
  box.balance();
  box.machine.jobs[1].entry.arrives = seconds(box.alone_step(0));
  const JointOutcome outcome = box.run();
  EXPECT_EQ(outcome.jobs[1].begins, outcome.jobs[0].ends);
  EXPECT_EQ(outcome.jobs[0].ends, (Duration{4 * box.alone_step(0).picoseconds}));
}

// In phase, the link carries both jobs' bytes: 3 steps of each, S bytes each way.
TEST(JointRun, CountsWhatLinksCarry) {
  SlowUplink box;
  box.add(periodic_job("one", 3000), {0, 4});
  box.add(periodic_job("other", 3000), {1, 5});
  box.balance();
  const JointOutcome outcome = box.run();
  Bytes most;
  for (const Bytes bytes : outcome.carried) most = std::max(most, bytes);
  EXPECT_NEAR(most.value, 2 * 3000 * test::summed_bytes, 1.0);
}

}  // namespace
}  // namespace quintet
