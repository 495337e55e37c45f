#include "sim/advice/machine_worth.h"

#include <gtest/gtest.h>

#include "sim/advice/limits.h"
#include "sim/advice/neighbours.h"
#include "tests/sim/advice/hand_world.h"

namespace quintet::test {
namespace {

const MachineWorth& of(const std::vector<MachineWorth>& all, const std::string& part) {
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const MachineWorth& each) { return each.part == part; });
  EXPECT_NE(found, all.end()) << part;
  return *found;
}

std::vector<MachineWorth> worths(const Plan& plan, const Machine& machine,
                                 const Evaluator& evaluator,
                                 const std::optional<Prices>& prices = {}) {
  const Rebuild none;
  return machine_worths({plan, machine, prices, none}, evaluator, {});
}

// All of a step is 100 GB over the slowest NIC of 50 GB/s: 2 s.
double over_nic(const Plan&, const Machine& machine) {
  return 100 / slowest_nic(machine.topology);
}

TEST(MachineWorth, OfANicThatCarriesAllTheStepHalvesIt) {
  const auto all = worths(eight_ranks(2), small_machine(), taking(over_nic));
  const MachineWorth& nic = of(all, "NIC rate");
  EXPECT_DOUBLE_EQ(nic.twice.step->value, 1);
  EXPECT_DOUBLE_EQ(nic.tenth.step->value, 2 / 1.1);
  EXPECT_NEAR(*elasticity(Seconds{2}, nic), 1, 1e-12);
  EXPECT_EQ(&nic, &all.front());
}

TEST(MachineWorth, OfAPartWithoutEffectIsExactlyNothing) {
  const auto all = worths(eight_ranks(2), small_machine(), taking(over_nic));
  for (const char* const part : {"NVLink rate", "PCIe rate", "leaf uplinks' rate", "latencies",
                                 "GPU peak rate", "GPU memory bandwidth", "kernel launches"}) {
    EXPECT_EQ(of(all, part).twice.step, Seconds{2}) << part;
    EXPECT_EQ(elasticity(Seconds{2}, of(all, part)), 0.0) << part;
  }
}

// 1 s of arithmetic beside 2 s over the NIC: the slope is 2 / 3 at first, and a tenth more rate
// gives (3 / (1 + 2 / 1.1) - 1) / 0.1 = 0.6452.
TEST(MachineWorth, HasTheSlopeOfTheShareThatGoesWithIt) {
  const auto all = worths(
      eight_ranks(2), small_machine(),
      taking([](const Plan& plan, const Machine& machine) { return 1 + over_nic(plan, machine); }));
  EXPECT_NEAR(*elasticity(Seconds{3}, of(all, "NIC rate")), 0.645161, 1e-6);
}

TEST(MachineWorth, ChangesOneKindOfLinkAndNoOther) {
  const Machine machine = small_machine();
  const struct {
    MachinePart part;
    int links;
  } expected[] = {{MachinePart::nvlink, 16},  // 8 GPUs, both directions
                  {MachinePart::nic, 16},     // 8 NICs
                  {MachinePart::pcie, 48}};   // those 16 ends, and 8 switches to a processor
  for (const auto& [part, links] : expected) {
    const std::optional<Machine> changed = with_part(machine, part, 2);
    ASSERT_TRUE(changed);
    int doubled = 0;
    for (std::size_t i = 0; i < machine.topology.links.size(); ++i) {
      const double ratio =
          changed->topology.links[i].bandwidth / machine.topology.links[i].bandwidth;
      EXPECT_TRUE(ratio == 1 || ratio == 2);
      doubled += ratio == 2 ? 1 : 0;
    }
    EXPECT_EQ(doubled, links) << name_of(part);
  }
  EXPECT_FALSE(with_part(machine, MachinePart::spine_uplinks, 2));
}

TEST(MachineWorth, IsNotKnownOfCostsThatWereMeasuredWhole) {
  Machine machine = small_machine();
  machine.costs.stages.emplace_back();
  EXPECT_FALSE(with_part(machine, MachinePart::gpu_rate, 2));
  EXPECT_TRUE(with_part(small_machine(), MachinePart::gpu_rate, 2));
}

// 4 hosts x 2 NICs at 1,000 $ of up to 400 Gb/s, 1,800 $ of more, and 2 cables' ends at 0 $.
TEST(MachineWorth, CostsWhatItsDearerPartsCost) {
  Prices prices;
  const auto dollars = [](double each) {
    return Price{{Dollars{each}, Dollars{each}, Dollars{each}}, {}};
  };
  prices.gpus = {{"GPU", dollars(10), dollars(1)}};
  prices.hosts = {{8, dollars(10)}};
  prices.nics = {{Bandwidth{50e9}, dollars(1000)}, {Bandwidth{100e9}, dollars(1800)}};
  prices.switches = {{Bandwidth{100e9}, 8, dollars(0)}};
  prices.cables = {{Bandwidth{100e9}, dollars(0)}};
  prices.optics = {{Bandwidth{100e9}, dollars(0)}};
  const auto all = worths(eight_ranks(2), small_machine(), taking(over_nic), prices);
  const MachineWorth& nic = of(all, "NIC rate");
  EXPECT_EQ(nic.bought, Dollars{6400});  // 8 x 800
  // A second less is 1,000 ms.
  EXPECT_NEAR(dollars_per_millisecond(Seconds{2}, nic)->value, 6.4, 1e-12);
  // No price says what a faster NVLink costs; cables between switches cost as much at any rate.
  EXPECT_EQ(of(all, "NVLink rate").bought, std::nullopt);
  EXPECT_EQ(of(all, "leaf uplinks' rate").bought, Dollars{0});
  EXPECT_EQ(dollars_per_millisecond(Seconds{2}, of(all, "leaf uplinks' rate")), std::nullopt);
}

// Without recomputation a step takes 3 s in place of 4 s and needs 100 of the 80 GiB; with twice
// the micro-batch 3.5 s and 84 GiB.
TEST(MachineWorth, OfMemoryIsTheFastestPlanNearbyThatNeedsIt) {
  Plan plan = eight_ranks(2);
  plan.parallelism.recompute = Recompute::full;
  const auto needs = [](const Plan& of) {
    if (of.parallelism.recompute == Recompute::none) return 100.0;
    return of.parallelism.micro_batch == 2 ? 84.0 : 40.0;
  };
  Evaluator evaluator = evaluating([&](const Plan& of, const Machine&) -> Result<Evaluated> {
    Evaluated evaluated = taking(of.parallelism.recompute == Recompute::none ? 3
                                 : of.parallelism.micro_batch == 2           ? 3.5
                                                                             : 4);
    return evaluated;
  });
  evaluator.memory = [&](const Plan& of, const Machine&) -> Result<Bytes> {
    return Bytes{needs(of) * 0x1p30};
  };
  const MachineWorth worth = memory_worth(plan, small_machine(), evaluator, {});
  EXPECT_EQ(worth.tenth.step, Seconds{3.5});  // 84 of 88 GiB
  EXPECT_EQ(worth.twice.step, Seconds{3});
  EXPECT_EQ(worth.note, "by recompute none");
}

TEST(Neighbours, KeepRanksAndBatch) {
  for (const Neighbour& each : neighbours(eight_ranks(4))) {
    EXPECT_EQ(world_size(each.plan.parallelism), 8) << each.how;
    EXPECT_EQ(global_batch(each.plan.parallelism), 16) << each.how;
    EXPECT_NE(each.plan.parallelism, eight_ranks(4).parallelism) << each.how;
  }
}

TEST(Neighbours, TellOfAFasterPlanThatFits) {
  const auto faster = faster_neighbour(
      eight_ranks(4), Seconds{4}, small_machine(),
      taking([](const Plan& plan, const Machine&) { return 1.0 * plan.parallelism.tensor; }), {});
  EXPECT_EQ(faster, (FasterNeighbour{"tensor 2", Seconds{2}}));
}

// 2 s of exposed data communication over the NIC, 1 s of a bubble.
TEST(Limits, SayWhichPartEasesEachPiece) {
  const Evaluator evaluator =
      evaluating([](const Plan& plan, const Machine& machine) -> Result<Evaluated> {
        Evaluated evaluated = taking(1 + over_nic(plan, machine));
        evaluated.mean.exposed[static_cast<std::size_t>(Axis::data)] =
            duration(Seconds{over_nic(plan, machine)});
        evaluated.mean.bubble = duration(Seconds{1});
        return evaluated;
      });
  const Machine machine = small_machine();
  const Evaluated now = *evaluator.step(eight_ranks(2), machine);
  const std::vector<Limit> limits = limits_of(now.mean, worths(eight_ranks(2), machine, evaluator));
  EXPECT_EQ(limits,
            (std::vector<Limit>{{"exposed data communication", Seconds{2}, "NIC rate", Seconds{1}},
                                {"pipeline bubble", Seconds{1}, "", Seconds{0}}}));
}

}  // namespace
}  // namespace quintet::test
