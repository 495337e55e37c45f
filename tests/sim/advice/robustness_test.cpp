#include "sim/advice/robustness.h"

#include <gtest/gtest.h>

#include "tests/sim/advice/hand_world.h"

namespace quintet::test {
namespace {

const ScenarioSteps& of(const Robustness& all, const std::string& scenario) {
  const auto found =
      std::find_if(all.scenarios.begin(), all.scenarios.end(),
                   [&](const ScenarioSteps& each) { return each.scenario == scenario; });
  EXPECT_NE(found, all.scenarios.end()) << scenario;
  return *found;
}

// The first plan sends 50 GB over the slowest NIC, the second (tensor 4) none and computes 1.5 s.
double step_of_two(const Plan& plan, const Machine& machine) {
  return plan.parallelism.tensor == 4 ? 1.5 : 50 / slowest_nic(machine.topology);
}

Robustness robust_plans() {
  return robustness({eight_ranks(2), eight_ranks(4)}, small_machine(), {}, taking(step_of_two), {});
}

TEST(Robustness, OfASlowNicIsAgainstTheSameMachineForAll) {
  const Robustness robust = robust_plans();
  const ScenarioSteps& slow = of(robust, "a NIC at half its rate");
  EXPECT_EQ(slow.steps, (std::vector<Outcome>{{Seconds{2}, ""}, {Seconds{1.5}, ""}}));
  EXPECT_EQ(slow.part, "host0/nic0");
  EXPECT_EQ(slow.alike, 8);  // all carry the same, as far as is known
  EXPECT_DOUBLE_EQ(*regret(slow, 0), 2 / 1.5 - 1);
  EXPECT_EQ(regret(slow, 1), 0.0);
}

TEST(Robustness, KnowsTheLargestRegretOfEachPlan) {
  const Robustness robust = robust_plans();
  // The second loses half as the machine is; the first a third when a NIC is slow.
  ASSERT_EQ(robust.largest_regret.size(), 2);
  EXPECT_DOUBLE_EQ(*robust.largest_regret[0], 2 / 1.5 - 1);
  EXPECT_DOUBLE_EQ(*robust.largest_regret[1], 0.5);
  EXPECT_EQ(robust.scenarios.front().scenario, "as the machine is");
}

TEST(Robustness, OfACableThatNobodyUsesIsNone) {
  const Robustness robust = robust_plans();
  const ScenarioSteps& slow = of(robust, "a cable between switches at half its rate");
  EXPECT_EQ(slow.steps.front(), (Outcome{Seconds{1}, ""}));
}

TEST(Scenarios, TakeOneOfThePartsThatCarryAlike) {
  const Machine machine = small_machine();
  StepDetail detail;
  detail.carried.assign(machine.topology.links.size(), Bytes{0});
  // host1's two NICs send 3 GB, host2's 1 GB, others nothing.
  for (std::size_t i = 0; i < machine.topology.links.size(); ++i) {
    const Link& link = machine.topology.links[i];
    const Device& from = machine.topology.device(link.from);
    if (from.kind != DeviceKind::nic || link.kind != LinkKind::network) continue;
    if (from.host == HostId{1}) detail.carried[i] = Bytes{3e9};
    if (from.host == HostId{2}) detail.carried[i] = Bytes{1e9};
  }
  detail.kind_of_rank = {0, 0, 0, 0, 1, 1, 1, 1};
  const std::vector<Scenario> all = scenarios(eight_ranks(2), machine, detail);
  // No cable between switches carries anything; of costs, only NCCL's formula takes time.
  ASSERT_EQ(all.size(), 4);
  EXPECT_EQ(all[0].name, "a NIC at half its rate");
  ASSERT_EQ(all[0].cases.size(), 2);
  EXPECT_EQ(all[0].cases[0].part, "host1/nic0");
  EXPECT_EQ(all[0].cases[0].alike, 2);
  EXPECT_EQ(all[0].cases[1].part, "host2/nic0");
  EXPECT_EQ(all[0].cases[0].faults.slow, std::vector<std::string>{"host1/nic0=0.5"});
  EXPECT_EQ(all[1].name, "a NIC that has failed");
  EXPECT_EQ(all[2].name, "a GPU at 80 % of its speed");
  ASSERT_EQ(all[2].cases.size(), 2);
  EXPECT_EQ(all[2].cases[1].part, "host2/gpu0");
  EXPECT_EQ(all[2].cases[1].alike, 4);
  EXPECT_EQ(all[3].name, "NCCL's formula 10 % slower");
  EXPECT_TRUE(all[3].cases.empty());
}

TEST(Robustness, TakesTheKindOfPartThatHurtsMost) {
  const Machine machine = small_machine();
  StepDetail detail;
  detail.kind_of_rank = {0, 0, 0, 0, 1, 1, 1, 1};
  // The second half's GPUs are waited for.
  const Robustness robust =
      robustness({eight_ranks(2)}, machine, detail, taking([](const Plan&, const Machine& on) {
                   double least = 1;
                   for (std::size_t slot = 4; slot < on.topology.slot_speeds.size(); ++slot)
                     least = std::min(least, on.topology.slot_speeds[slot]);
                   return 1 / least;
                 }),
                 {});
  const ScenarioSteps& slow = of(robust, "a GPU at 80 % of its speed");
  EXPECT_EQ(slow.part, "host2/gpu0");
  EXPECT_EQ(slow.steps.front(), (Outcome{Seconds{1.25}, ""}));
  EXPECT_EQ(slow.kinds, 2);
}

}  // namespace
}  // namespace quintet::test
