// Two jobs folded together tell what they tell unfolded, to the picosecond; and a job whose hosts
// are all there are is what `quintet simulate` predicts.
#include <gtest/gtest.h>

#include "sim/jobs/job.h"
#include "sim/simulate/predict.h"
#include "tests/sim/jobs/periodic_jobs.h"
#include "tests/sim/simulate/random_step.h"

namespace quintet {
namespace {

using Walked = std::vector<std::vector<Duration>>;

Walked walked(const JobsOnMachine& machine, const JobDecisions& decisions, Folding folding) {
  JointOptions options;
  options.folding = folding;
  const std::vector<Duration> usual(decisions.size(), Duration{1});
  Walked all;
  for (const JobOutcome& job : test::required(joint_run(machine, decisions, usual, options)).jobs)
    all.push_back(job.walked);
  return all;
}

// Hosts 0 and 2, 1 and 3, ranks as the dice have it.
TEST(JointFolding, TellsWhatUnfoldedJobsTell) {
  Dice dice(17);
  const CostTable costs = test::shipped_costs("a100-sxm-80gb");
  Model model = test::shipped_model("llama-3-8b");
  model.layers = 4;
  int compared = 0;
  while (compared < 6) {
    const Topology topology = test::random_topology(dice, 4);
    if (topology.hosts.empty()) continue;
    JobsOnMachine machine{{}, topology, costs};
    JobDecisions decisions;
    for (int job = 0; job < 2; ++job) {
      Plan plan = test::random_plan(dice, 16, model.layers);
      plan.parallelism.micro_batches = std::min(plan.parallelism.micro_batches, 4);
      JobEntry entry{.name = std::to_string(job), .hosts = 2, .steps = 2};
      Result<Job> ready = ready_job(entry, model, plan, machine, {}, "job");
      if (!ready) break;
      decisions.push_back(decision_of(*ready));
      for (int slot = 0; slot < 8; ++slot) decisions.back().slots.push_back(8 * job + slot);
      for (int slot = 0; slot < 8; ++slot) decisions.back().slots.push_back(8 * (job + 2) + slot);
      machine.jobs.push_back(std::move(*ready));
    }
    if (decisions.size() < 2) continue;
    ++compared;
    EXPECT_EQ(walked(machine, decisions, Folding::equivalent),
              walked(machine, decisions, Folding::none));
  }
}

TEST(JointFolding, PredictsAJobOnAllHostsAsSimulateDoes) {
  const CostTable costs = test::shipped_costs("a100-sxm-80gb");
  Model model = test::shipped_model("llama-3-8b");
  model.layers = 4;
  Plan plan;
  plan.parallelism.tensor = 8;
  plan.parallelism.data = 4;
  plan.parallelism.sequence_length = 2048;
  plan.parallelism.micro_batches = 4;
  JobsOnMachine machine{{}, test::shipped_topology("samsung-a100-1024", 4), costs};
  const JobEntry entry{.name = "all", .hosts = 4, .steps = 3};
  machine.jobs.push_back(test::required(ready_job(entry, model, plan, machine, {}, "job")));
  JobDecision decision = decision_of(machine.jobs.front());
  for (int slot = 0; slot < 32; ++slot) decision.slots.push_back(slot);
  const Prediction predicted = test::required(predict(model, plan, machine.topology, costs));
  const Duration step = predicted.timeline.end - Instant{};
  EXPECT_EQ(walked(machine, {decision}, Folding::equivalent), (Walked{{step, step, step}}));
}

}  // namespace
}  // namespace quintet
