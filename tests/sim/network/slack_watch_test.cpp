// What slack_watch.h claims: a link that the watch does not find overfull could be left out, to the
// last bit.
#include "sim/network/fluid/slack_watch.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/network/fluid/fluid_fabric.h"
#include "tests/sim/network/random_problem.h"

namespace quintet {
namespace {

// Flows of weight 1 over links of the grid, as communications are.
std::vector<FlowDemand> random_flows(Dice& dice, int flows, int links) {
  std::vector<FlowDemand> all;
  for (int flow = 0; flow < flows; ++flow) {
    all.push_back(random_flow(dice, links));
    all.back().weight = 1.0;
    if (dice.below(2) == 0) all.back().bound = dice.between(0.1, 4.0);
    for (Usage& use : all.back().uses) use.per_unit = on_grid(use.per_unit);
  }
  return all;
}

// The flow without the links left out, which bound it as if it had each of them to itself.
FlowDemand without(const FlowDemand& flow, const std::vector<LinkShare>& links,
                   const std::vector<bool>& left_out) {
  FlowDemand rest{{}, flow.weight, flow.bound};
  for (const Usage& use : flow.uses) {
    const auto link = static_cast<std::size_t>(use.link);
    rest.bound = std::min(rest.bound, rate_when_full(links[link], use.per_unit));
    if (!left_out[link]) rest.uses.push_back(use);
  }
  return rest;
}

std::vector<SlackUse> slack_uses(const FlowDemand& flow, const std::vector<bool>& left_out) {
  std::vector<SlackUse> uses;
  for (const Usage& use : flow.uses)
    if (left_out[static_cast<std::size_t>(use.link)]) uses.push_back({use.link, use.per_unit, 1});
  return uses;
}

// Whether the watch finds nothing overfull at these rates.
bool are_slack(const std::vector<LinkShare>& links, const std::vector<FlowDemand>& flows,
               const std::vector<double>& rates, const std::vector<bool>& left_out) {
  SlackWatch watch(links);
  for (std::size_t flow = 0; flow < flows.size(); ++flow) {
    const std::vector<SlackUse> uses = slack_uses(flows[flow], left_out);
    watch.enter(uses);
    watch.change(uses, rates[flow]);
  }
  watch.judge();
  return watch.overfull().empty();
}

TEST(SlackLinks, CouldBeLeftOutToTheLastBit) {
  Dice dice(7);
  int slack = 0, overfull = 0;
  for (int round = 0; round < 5000; ++round) {
    const int count = 2 + dice.below(8);
    std::vector<LinkShare> links;
    std::vector<bool> left_out;
    for (int link = 0; link < count; ++link) {
      links.push_back({dice.between(0.5, 20.0)});
      left_out.push_back(dice.below(2) == 0);
    }
    const std::vector<FlowDemand> flows = random_flows(dice, 1 + dice.below(10), count);
    std::vector<FlowDemand> rest;
    for (const FlowDemand& flow : flows) rest.push_back(without(flow, links, left_out));
    const std::vector<double> rates = fair_share(links, rest);
    if (!are_slack(links, flows, rates, left_out)) {
      ++overfull;
      continue;
    }
    ++slack;
    EXPECT_EQ(fair_share(links, flows), rates) << "round " << round;
  }
  EXPECT_GT(slack, 500);
  EXPECT_GT(overfull, 500);
}

std::vector<LinkShare> link_of_10() {
  return {LinkShare{10.0}};
}

// Two flows of 4 share a link of 10: 2 are left, and nobody is slower. A third makes 12.
TEST(SlackLinks, AreWatchedByTheFabric) {
  for (const int flows : {1, 2, 3}) {
    EventQueue events;
    FluidFabric fabric(events, link_of_10());
    const std::vector<SlackUse> uses{{0, 1.0, 1}};
    for (int flow = 0; flow < flows; ++flow)
      fabric.start({.phases = {},
                    .presumed_slack = uses,
                    .size = Bytes{8.0},
                    .bound = Bandwidth{4.0},
                    .latency = {},
                    .done = nullptr});
    EXPECT_EQ(Instant{2'000'000'000'000}, events.run());  // 8 at 4 a second
    EXPECT_EQ(flows == 3, !fabric.overfull().empty()) << flows;
  }
}

// One flow may fill the link that it has to itself: its bound says so.
TEST(SlackLinks, MayBeFilledByOneFlow) {
  SlackWatch watch(link_of_10());
  const std::vector<SlackUse> one{{0, 1.0, 1}};
  watch.enter(one);
  watch.change(one, 10.0);
  watch.judge();
  EXPECT_TRUE(watch.overfull().empty());
  watch.enter(one);
  watch.change(one, 1.0);
  watch.judge();
  EXPECT_EQ(std::vector<std::int32_t>{0}, watch.overfull());
}

// What has left takes nothing, and is not counted.
TEST(SlackLinks, AreFreeAgainWhenFlowsLeave) {
  SlackWatch watch(link_of_10());
  const std::vector<SlackUse> one{{0, 1.0, 1}};
  for (int round = 0; round < 3; ++round) {
    watch.enter(one);
    watch.change(one, 9.0);
    watch.judge();
    watch.leave(one, 9.0);
  }
  EXPECT_TRUE(watch.overfull().empty());
}

}  // namespace
}  // namespace quintet
