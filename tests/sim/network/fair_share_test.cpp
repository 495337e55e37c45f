// SimGrid's unit tests of its linear max-min solver.
// "Weight" there is the consumption a_il, "penalty" is 1 / our weight.
#include "sim/network/fluid/fair_share.h"

#include <gtest/gtest.h>

#include <vector>

namespace quintet {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

FlowDemand on_link_0(double penalty, double consumption, double bound = infinite) {
  return {{{0, consumption}}, 1.0 / penalty, bound};
}

void expect_rates(const std::vector<double>& rates, const std::vector<double>& expected) {
  ASSERT_EQ(rates.size(), expected.size());
  for (std::size_t flow = 0; flow < rates.size(); ++flow)
    EXPECT_NEAR(rates[flow], expected[flow], 1e-9 * expected[flow]) << "flow " << flow;
}

// C = 3, penalties 1, 2, weights 1, 1 -> 2, 1.
TEST(FairShare, APenaltyOfTwoHalvesTheRate) {
  expect_rates(
      fair_share(std::vector<LinkShare>{{3.0}}, std::vector{on_link_0(1, 1), on_link_0(2, 1)}),
      {2.0, 1.0});
}

// C = 3, penalties 1, 1, weights 1, 2 -> 1, 1.
TEST(FairShare, ConsumptionCountsAgainstTheLinkNotTheFlow) {
  expect_rates(
      fair_share(std::vector<LinkShare>{{3.0}}, std::vector{on_link_0(1, 1), on_link_0(1, 2)}),
      {1.0, 1.0});
}

// C = 20, penalties 1, 2, weights 1, 2 -> 10, 5.
TEST(FairShare, PenaltyAndConsumptionTogether) {
  expect_rates(
      fair_share(std::vector<LinkShare>{{20.0}}, std::vector{on_link_0(1, 1), on_link_0(2, 2)}),
      {10.0, 5.0});
}

// fat pipe C = 10, penalties 1, 2 -> 10, 5; penalties 1, 1, weights 1, 2 -> 5, 5.
TEST(FairShare, AFatPipeLimitsTheLargestUseAndFreezesAll) {
  const std::vector<LinkShare> pipe{{10.0, Sharing::fat_pipe}};
  expect_rates(fair_share(pipe, std::vector{on_link_0(1, 1), on_link_0(2, 1)}), {10.0, 5.0});
  expect_rates(fair_share(pipe, std::vector{on_link_0(1, 1), on_link_0(1, 2)}), {5.0, 5.0});
}

// A-7 (max-min variant): C = 1, 1; weights (1, e), (1, e), (e, 1), e = 0.05 -> all 1/2.05.
TEST(FairShare, TheFirstFullLinkFreezesEvenThoseWhoHardlyUseIt) {
  const double e = 0.05;
  const std::vector<FlowDemand> flows{
      {{{0, 1.0}, {1, e}}}, {{{0, 1.0}, {1, e}}}, {{{0, e}, {1, 1.0}}}};
  expect_rates(fair_share(std::vector<LinkShare>{{1.0}, {1.0}}, flows),
               {1 / 2.05, 1 / 2.05, 1 / 2.05});
}

// C = 1, flow 1 weight 2 bound 0.1, flow 2 weight 1 -> 0.1, 0.8.
TEST(FairShare, WhatABoundLeavesGoesToTheOthers) {
  expect_rates(
      fair_share(std::vector<LinkShare>{{1.0}}, std::vector{on_link_0(1, 2, 0.1), on_link_0(1, 1)}),
      {0.1, 0.8});
}

// links 1, 10, 1: a long flow over all three plus one local each -> 1/2, 1/2, 19/2, 1/2.
TEST(FairShare, ALongFlowIsHeldByItsTightestLink) {
  const std::vector<FlowDemand> flows{{{{0}, {1}, {2}}}, {{{0}}}, {{{1}}}, {{{2}}}};
  EXPECT_EQ(fair_share(std::vector<LinkShare>{{1.0}, {10.0}, {1.0}}, flows),
            (std::vector{0.5, 0.5, 9.5, 0.5}));
}

// C(n) = 10 (1 - 0.1 (n - 1)): 1 flow -> 10; 2 flows -> 4.5 each; penalties 1, 2, 2 -> 4,
// 2, 2.
TEST(FairShare, ALinkThatLosesCapacityPerFlow) {
  const std::vector<LinkShare> links{{10.0, Sharing::shared, 0.1}};
  const FlowDemand plain = on_link_0(1, 1);
  const FlowDemand half = on_link_0(2, 1);
  expect_rates(fair_share(links, std::vector{plain}), {10.0});
  expect_rates(fair_share(links, std::vector{plain, plain}), {4.5, 4.5});
  expect_rates(fair_share(links, std::vector{plain, half, half}), {4.0, 2.0, 2.0});
}

// One class of three members counts as three flows: C(3) = 8, 8/3 each.
TEST(FairShare, AFoldedClassCountsAllItsMembers) {
  const std::vector<LinkShare> links{{10.0, Sharing::shared, 0.1}};
  expect_rates(fair_share(links, std::vector<FlowDemand>{{{{0, 1.0, 3}}}}), {8.0 / 3.0});
}

// Link 0 (100) carries flows a, b; link 1 (30) carries b, c: b = c = 15, a gets the other 85.
TEST(FairShare, TheTightestLinkSettlesItsFlowsFirst) {
  const std::vector<FlowDemand> flows{{{{0}}}, {{{0}, {1}}}, {{{1}}}};
  EXPECT_EQ(fair_share(std::vector<LinkShare>{{100.0}, {30.0}}, flows),
            (std::vector{85.0, 15.0, 15.0}));
}

TEST(FairShare, AFlowThatUsesNoLinkRunsAtItsBound) {
  EXPECT_EQ(fair_share({}, std::vector<FlowDemand>{{{}, 1.0, 7.0}, {{}, 2.0}}),
            (std::vector{7.0, infinite}));
}

// A dead link stops its flows and nobody else: 0, and all 5 of the other link.
TEST(FairShare, ALinkWithoutCapacityStopsItsFlows) {
  const std::vector<FlowDemand> flows{{{{0}, {1}}}, {{{1}}}};
  EXPECT_EQ(fair_share(std::vector<LinkShare>{{0.0}, {5.0}}, flows), (std::vector{0.0, 5.0}));
}

}  // namespace
}  // namespace quintet
