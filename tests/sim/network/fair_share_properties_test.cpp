// Properties that hold whatever the numbers, on random problems.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "sim/network/fluid/fair_share.h"
#include "tests/sim/network/random_problem.h"

namespace quintet {
namespace {

constexpr int problems = 300;

std::vector<double> rates_of(const Problem& problem) {
  return fair_share(problem.links, problem.flows);
}

// n of C(n), and the capacity that goes with it.
double capacity_in_use(const Problem& problem, std::size_t link) {
  int flows = 0;
  for (const FlowDemand& flow : problem.flows)
    for (const Usage& usage : flow.uses)
      if (usage.link == static_cast<std::int32_t>(link)) ++flows;
  const LinkShare& share = problem.links[link];
  return share.capacity * std::max(0.0, 1.0 - share.loss_per_flow * (flows - 1));
}

struct Filling {
  double used = 0.0;
  double highest_level = 0.0;
};

std::vector<Filling> fillings(const Problem& problem, const std::vector<double>& rates) {
  std::vector<Filling> result(problem.links.size());
  for (std::size_t flow = 0; flow < rates.size(); ++flow)
    for (const Usage& usage : problem.flows[flow].uses) {
      Filling& filling = result[static_cast<std::size_t>(usage.link)];
      filling.used += usage.per_unit * rates[flow];
      filling.highest_level =
          std::max(filling.highest_level, rates[flow] / problem.flows[flow].weight);
    }
  return result;
}

// H-10: every flow sits at its bound, or has a full link on which no flow has a higher level.
TEST(FairShareProperties, EveryFlowHasAReasonNotToBeFaster) {
  Dice dice(10);
  for (int round = 0; round < problems; ++round) {
    const Problem problem = random_problem(dice, Pipes::shared_only);
    const std::vector<double> rates = rates_of(problem);
    const std::vector<Filling> links = fillings(problem, rates);
    for (std::size_t link = 0; link < links.size(); ++link)
      EXPECT_LE(links[link].used, capacity_in_use(problem, link) * (1 + 1e-8));
    for (std::size_t flow = 0; flow < rates.size(); ++flow) {
      const FlowDemand& demand = problem.flows[flow];
      bool reason = rates[flow] == demand.bound;
      for (const Usage& usage : demand.uses) {
        const auto link = static_cast<std::size_t>(usage.link);
        const bool full = links[link].used >= capacity_in_use(problem, link) * (1 - 1e-8);
        const double level = rates[flow] / demand.weight;
        reason = reason || (full && level >= links[link].highest_level * (1 - 1e-8));
      }
      EXPECT_TRUE(reason) << "round " << round << " flow " << flow;
    }
  }
}

// H-1: capacities and bounds times c give rates times c; to the last bit where c is a power of two.
TEST(FairShareProperties, RatesScaleWithCapacities) {
  Dice dice(1);
  for (int round = 0; round < problems; ++round) {
    const Problem problem = random_problem(dice, Pipes::also_fat);
    for (const double scale : {8.0, 3.0}) {
      Problem scaled = problem;
      for (LinkShare& link : scaled.links) link.capacity *= scale;
      for (FlowDemand& flow : scaled.flows) flow.bound *= scale;
      const std::vector<double> before = rates_of(problem);
      const std::vector<double> after = rates_of(scaled);
      for (std::size_t flow = 0; flow < before.size(); ++flow)
        EXPECT_NEAR(after[flow], scale * before[flow],
                    scale == 8.0 ? 0.0 : 1e-12 * scale * before[flow]);
    }
  }
}

// H-3: raising one capacity never lowers the lowest level (single rates may fall).
TEST(FairShareProperties, MoreCapacityNeverHurtsThePoorest) {
  Dice dice(3);
  const auto lowest_level = [](const Problem& problem) {
    const std::vector<double> rates = rates_of(problem);
    double lowest = std::numeric_limits<double>::infinity();
    for (std::size_t flow = 0; flow < rates.size(); ++flow)
      lowest = std::min(lowest, rates[flow] / problem.flows[flow].weight);
    return lowest;
  };
  for (int round = 0; round < problems; ++round) {
    Problem problem = random_problem(dice, Pipes::also_fat);
    const double before = lowest_level(problem);
    const int raised = dice.below(static_cast<int>(problem.links.size()));
    problem.links[static_cast<std::size_t>(raised)].capacity *= dice.between(1.0, 3.0);
    EXPECT_GE(lowest_level(problem), before * (1 - 1e-15));
  }
}

// H-9: no flow is faster than its bound or than any of its links alone.
TEST(FairShareProperties, NoFlowIsFasterThanItsBottleneck) {
  Dice dice(9);
  for (int round = 0; round < problems; ++round) {
    const Problem problem = random_problem(dice, Pipes::also_fat);
    const std::vector<double> rates = rates_of(problem);
    for (std::size_t flow = 0; flow < rates.size(); ++flow) {
      EXPECT_LE(rates[flow], problem.flows[flow].bound);
      for (const Usage& usage : problem.flows[flow].uses) {
        const LinkShare& link = problem.links[static_cast<std::size_t>(usage.link)];
        EXPECT_LE(rates[flow], link.capacity / usage.per_unit * (1 + 1e-8));
      }
    }
  }
}

// H-6 for the solver: a component gives the same bits alone and beside another, however numbered.
TEST(FairShareProperties, UnconnectedProblemsDoNotTouchEachOther) {
  Dice dice(6);
  for (int round = 0; round < problems; ++round) {
    const Problem left = random_problem(dice, Pipes::also_fat);
    const Problem right = random_problem(dice, Pipes::also_fat);
    const auto offset = static_cast<std::int32_t>(right.links.size());
    Problem both = right;  // left's links come second, its flows in reverse order after right's
    both.links.insert(both.links.end(), left.links.begin(), left.links.end());
    for (std::size_t flow = left.flows.size(); flow-- > 0;) {
      both.flows.push_back(left.flows[flow]);
      for (Usage& usage : both.flows.back().uses) usage.link += offset;
    }
    std::vector<double> expected = rates_of(right);
    const std::vector<double> alone = rates_of(left);
    expected.insert(expected.end(), alone.rbegin(), alone.rend());
    EXPECT_EQ(rates_of(both), expected) << "round " << round;
  }
}

// N copies of a problem, each flow class with several members per copy; flow i of a class crosses
// copy i + shift of its links, and every member crosses the last link, of which there is one.
struct Symmetric {
  Problem folded, unfolded;
  std::vector<std::size_t> class_of;  // of the unfolded flows
};

void unfold_class(Symmetric& result, std::size_t number, int copies, int members, Dice& dice) {
  const auto local_links = static_cast<std::int32_t>(result.folded.links.size()) - 1;
  const FlowDemand original = result.folded.flows[number];
  std::vector<int> shifts;
  for (std::size_t use = 0; use < original.uses.size(); ++use) shifts.push_back(dice.below(copies));
  for (int copy = 0; copy < copies; ++copy)
    for (int member = 0; member < members; ++member) {
      FlowDemand flow = original;
      for (std::size_t use = 0; use < flow.uses.size(); ++use) {
        Usage& usage = flow.uses[use];
        const bool common = usage.link == local_links;
        usage.link = common ? copies * local_links
                            : (copy + shifts[use]) % copies * local_links + usage.link;
      }
      result.unfolded.flows.push_back(flow);
      result.class_of.push_back(number);
    }
}

Symmetric unfold(const Problem& problem, Dice& dice) {
  Symmetric result{problem, {}, {}};
  const int copies = 1 + dice.below(8);
  const std::size_t local_links = problem.links.size() - 1;
  for (int copy = 0; copy < copies; ++copy)
    for (std::size_t link = 0; link < local_links; ++link)
      result.unfolded.links.push_back(problem.links[link]);
  result.unfolded.links.push_back(problem.links.back());
  for (std::size_t flow = 0; flow < problem.flows.size(); ++flow) {
    const int members = 1 + dice.below(4);
    unfold_class(result, flow, copies, members, dice);
    for (Usage& usage : result.folded.flows[flow].uses) {
      const bool common = static_cast<std::size_t>(usage.link) == local_links;
      usage.count = common ? copies * members : members;
    }
  }
  return result;
}

std::vector<double> rates_by_class(const Symmetric& symmetric) {
  const std::vector<double> folded = rates_of(symmetric.folded);
  std::vector<double> result;
  for (const std::size_t number : symmetric.class_of) result.push_back(folded[number]);
  return result;
}

// H-5: one flow with a count stands for many, to the last bit, whatever weights and consumptions.
TEST(FairShareProperties, AFoldedProblemEqualsTheUnfoldedOne) {
  Dice dice(5);
  for (int round = 0; round < problems; ++round) {
    const Symmetric symmetric = unfold(random_problem(dice, Pipes::also_fat), dice);
    EXPECT_EQ(rates_of(symmetric.unfolded), rates_by_class(symmetric)) << "round " << round;
  }
}

// H-5 where the caller multiplies: per_unit * count on shared links, coefficients in eighths.
TEST(FairShareProperties, CountsMayBeMultipliedIntoGridConsumptions) {
  Dice dice(55);
  for (int round = 0; round < problems; ++round) {
    Problem problem = random_problem(dice, Pipes::shared_only);
    for (LinkShare& link : problem.links) link.loss_per_flow = 0.0;
    for (FlowDemand& flow : problem.flows) {
      flow.weight = std::ldexp(1.0, dice.below(4) - 2);
      for (Usage& usage : flow.uses) usage.per_unit = (1 + dice.below(20)) / 8.0;
    }
    Symmetric symmetric = unfold(problem, dice);
    for (FlowDemand& flow : symmetric.folded.flows)
      for (Usage& usage : flow.uses) usage = {usage.link, usage.per_unit * usage.count};
    EXPECT_EQ(rates_of(symmetric.unfolded), rates_by_class(symmetric)) << "round " << round;
  }
}

// 3 000 flows of three classes on one link, added in any order: sums leave no trace of the order.
TEST(FairShareProperties, TheOrderOfFlowsLeavesNoTrace) {
  Problem problem{{{1000.0}}, {}};
  for (int flow = 0; flow < 3000; ++flow)
    problem.flows.push_back({{{0, 1.0 + 0.1 * (flow % 3)}}, 1.0 / (1 + flow % 3)});
  const std::vector<double> rates = rates_of(problem);
  std::stable_sort(
      problem.flows.begin(), problem.flows.end(),
      [](const FlowDemand& left, const FlowDemand& right) { return left.weight < right.weight; });
  const std::vector<double> sorted = rates_of(problem);
  EXPECT_EQ((std::vector{rates[0], rates[1], rates[2]}),
            (std::vector{sorted[2999], sorted[1500], sorted[0]}));
}

}  // namespace
}  // namespace quintet
