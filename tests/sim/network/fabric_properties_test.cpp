// Properties that hold whatever the numbers, on random traffic.
#include <gtest/gtest.h>

#include "sim/network/fluid/fluid_fabric.h"
#include "tests/sim/network/random_problem.h"

namespace quintet {
namespace {

struct Start {
  Instant when;
  FlowDemand demand;
  double work = 0.0;
  Seconds latency;
  int followers = 0;  // equal flows that start one after the other
};

struct CapacityChange {
  Instant when;
  std::int32_t link = 0;
  double capacity = 0.0;
};

struct Traffic {
  std::vector<LinkShare> links;
  std::vector<Start> starts;
  std::vector<CapacityChange> changes;
};

struct Ending {
  std::size_t flow = 0;
  Instant when;
  bool operator==(const Ending&) const = default;
};

struct Outcome {
  std::vector<Ending> endings;  // in the order of the callbacks
  std::vector<double> carried;
  Instant last;  // of the events
  bool operator==(const Outcome&) const = default;
};

// Few distinct sizes and starts, so that many things happen at one instant.
Traffic random_traffic(Dice& dice) {
  Traffic traffic;
  const int links = 3 + dice.below(40);
  for (int link = 0; link < links; ++link)
    traffic.links.push_back({dice.between(1.0, 9.0), Sharing::shared, 0.0});
  traffic.links.front().loss_per_flow = 0.02;
  traffic.links.back() = {5.0, Sharing::fat_pipe};
  for (int flow = 0; flow < 80; ++flow)
    traffic.starts.push_back({Instant{} + Seconds{1.0 * dice.below(12)}, random_flow(dice, links),
                              1.0 * dice.below(6), Seconds{0.5 * dice.below(3)}, dice.below(3)});
  for (int change = 0; change < 10; ++change)
    traffic.changes.push_back(
        {Instant{} + Seconds{2.0 * dice.below(10)}, dice.below(links), dice.between(0.5, 9.0)});
  return traffic;
}

struct Run {
  EventQueue events;
  FluidFabric fabric;
  Outcome outcome;

  Run(const Traffic& traffic, Solver solver) : fabric(events, traffic.links, solver) {
    for (std::size_t flow = 0; flow < traffic.starts.size(); ++flow) {
      const Start& start = traffic.starts[flow];
      events.at(start.when, [this, &start, flow] { begin(start, flow, start.followers); });
    }
    for (const CapacityChange& change : traffic.changes)
      events.at(change.when, [this, change] { fabric.set_capacity(change.link, change.capacity); });
    outcome.last = events.run();
    outcome.carried = fabric.carried();
  }

  void begin(const Start& start, std::size_t flow, int followers) {
    fabric.start_flow({start.demand, start.work, start.latency, [this, &start, flow, followers] {
                         outcome.endings.push_back({flow, events.now()});
                         if (followers > 0) begin(start, flow, followers - 1);
                       }});
  }
};

Outcome outcome_of(const Traffic& traffic, Solver solver = Solver::incremental) {
  return Run(traffic, solver).outcome;
}

// H-6: solving only what changed and solving everything give the same trace, bit for bit.
TEST(FabricProperties, IncrementalEqualsFromScratch) {
  Dice dice(60);
  for (int round = 0; round < 60; ++round) {
    const Traffic traffic = random_traffic(dice);
    EXPECT_EQ(outcome_of(traffic, Solver::incremental), outcome_of(traffic, Solver::from_scratch))
        << "round " << round;
  }
}

// No event is about a flow that is gone or goes on at another rate: the last one ends a flow.
TEST(FabricProperties, TheRunEndsWithTheLastFlow) {
  Dice dice(15);
  for (int round = 0; round < 300; ++round) {
    Traffic traffic = random_traffic(dice);
    // All changes come while flows that start at 0 are about.
    for (CapacityChange& change : traffic.changes) change.when = {};
    const Outcome outcome = outcome_of(traffic);
    EXPECT_EQ(outcome.last, outcome.endings.back().when) << "round " << round;
  }
}

// H-8: the same input gives the same trace.
TEST(FabricProperties, TheSameTrafficGivesTheSameTrace) {
  Dice dice(80);
  for (int round = 0; round < 20; ++round) {
    const Traffic traffic = random_traffic(dice);
    EXPECT_EQ(outcome_of(traffic), outcome_of(traffic));
  }
}

// H-7: what the links carried is what the flows moved over each hop; whole bytes, so exactly.
TEST(FabricProperties, LinkBytesAreFlowBytesTimesHops) {
  Dice dice(70);
  for (int round = 0; round < 20; ++round) {
    Traffic traffic = random_traffic(dice);
    double expected = 0.0;
    for (Start& start : traffic.starts) {
      for (Usage& usage : start.demand.uses) usage.per_unit = 1.0;
      expected +=
          (start.followers + 1) * start.work * static_cast<double>(start.demand.uses.size());
    }
    double carried = 0.0;
    for (const double bytes : outcome_of(traffic).carried) carried += bytes;
    EXPECT_EQ(carried, expected);
  }
}

// H-4: flows of zero bytes change no other completion.
TEST(FabricProperties, AZeroByteFlowChangesNothing) {
  Dice dice(40);
  for (int round = 0; round < 20; ++round) {
    const Traffic traffic = random_traffic(dice);
    Traffic more = traffic;
    for (int flow = 0; flow < 20; ++flow) {
      more.starts.push_back(traffic.starts[static_cast<std::size_t>(flow)]);
      more.starts.back().work = 0.0;
    }
    Outcome with = outcome_of(more);
    std::erase_if(with.endings,
                  [&](const Ending& ending) { return ending.flow >= traffic.starts.size(); });
    EXPECT_EQ(with, outcome_of(traffic));
  }
}

// H-9: done no sooner than latency + work / bottleneck, less half a picosecond per rounding.
TEST(FabricProperties, NothingBeatsItsBottleneck) {
  Dice dice(90);
  for (int round = 0; round < 20; ++round) {
    Traffic traffic = random_traffic(dice);
    traffic.changes.clear();
    for (Start& start : traffic.starts) start.followers = 0;
    for (const Ending& ending : outcome_of(traffic).endings) {
      const Start& start = traffic.starts[ending.flow];
      double fastest = start.demand.bound;
      for (const Usage& usage : start.demand.uses)
        fastest = std::min(
            fastest, traffic.links[static_cast<std::size_t>(usage.link)].capacity / usage.per_unit);
      const double least = start.latency.value + start.work / fastest;
      EXPECT_GE(seconds(ending.when - start.when).value, least * (1 - 1e-9) - 1e-12);
    }
  }
}

// H-1: sizes and capacities times 4 leave every instant as it was.
TEST(FabricProperties, ScalingSizesAndCapacitiesLeavesTimesAlone) {
  Dice dice(11);
  for (int round = 0; round < 20; ++round) {
    const Traffic traffic = random_traffic(dice);
    Traffic scaled = traffic;
    for (LinkShare& link : scaled.links) link.capacity *= 4.0;
    for (CapacityChange& change : scaled.changes) change.capacity *= 4.0;
    for (Start& start : scaled.starts) {
      start.work *= 4.0;
      start.demand.bound *= 4.0;
    }
    EXPECT_EQ(outcome_of(scaled).endings, outcome_of(traffic).endings);
  }
}

// H-5: 8 equal flows on a common link and one of their own each, or one flow that stands for them.
TEST(FabricProperties, AFoldedClassEndsWithItsMembers) {
  Traffic unfolded{std::vector<LinkShare>(9, LinkShare{2.0}), {}, {}};
  unfolded.links.back().capacity = 3.7;
  for (std::int32_t flow = 0; flow < 8; ++flow)
    unfolded.starts.push_back({{}, {{{flow}, {8}}}, 5.0, {0.1}, 3});
  const Traffic folded{{{2.0}, {3.7}}, {{{}, {{{0}, {1, 8.0}}}, 5.0, {0.1}, 3}}, {}};
  const std::vector<Ending> each = outcome_of(unfolded).endings;
  const std::vector<Ending> one = outcome_of(folded).endings;
  ASSERT_EQ(each.size(), 32u);
  ASSERT_EQ(one.size(), 4u);
  for (std::size_t ending = 0; ending < each.size(); ++ending)
    EXPECT_EQ(each[ending].when, one[ending / 8].when);
}

}  // namespace
}  // namespace quintet
