// Flows of a higher priority first, by hand; and the incremental solver as the one from scratch.
#include <gtest/gtest.h>

#include <vector>

#include "sim/network/fluid/fair_share.h"
#include "sim/network/fluid/fluid_fabric.h"

namespace quintet {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

FlowDemand flow(std::vector<Usage> uses, int priority, double bound = infinite, double weight = 1) {
  return {std::move(uses), weight, bound, priority};
}

using Rates = std::vector<double>;

// The high one takes all of 10; with a bound of 4 it leaves 6.
TEST(StrictPriority, TakesWhatItCanFirst) {
  const std::vector<LinkShare> link{{10.0}};
  EXPECT_EQ(fair_share(link, std::vector{flow({{0}}, 0), flow({{0}}, 1)}), (Rates{0, 10}));
  EXPECT_EQ(fair_share(link, std::vector{flow({{0}}, 0), flow({{0}}, 1, 4)}), (Rates{6, 4}));
}

// The high one is held to 3 by its second link, of 3; two low ones share the other 9 of 12 by
// weights 2 and 1; one on the second link alone gets nothing.
TEST(StrictPriority, LeavesTheRestToBeShared) {
  const std::vector<LinkShare> links{{12.0}, {3.0}};
  EXPECT_EQ(fair_share(links, std::vector{flow({{0}}, 0, infinite, 2), flow({{0}, {1}}, 5),
                                          flow({{0}}, 0), flow({{1}}, 0)}),
            (Rates{6, 3, 3, 0}));
}

// Nobody of another priority is near: as without any.
TEST(StrictPriority, DoesNotMatterAmongEquals) {
  const std::vector<LinkShare> links{{10.0}, {4.0}};
  const auto rates = [&](int priority) {
    return fair_share(links, std::vector{flow({{0}}, priority), flow({{0}, {1}}, priority),
                                         flow({{1}}, priority, 1)});
  };
  EXPECT_EQ(rates(0), (Rates{7, 3, 1}));
  EXPECT_EQ(rates(6), rates(0));
}

// Hundreds of moves of three priorities over ten links, begun and ended at all times.
std::vector<Instant> ends_of_moves(Solver solver) {
  EventQueue events;
  FluidFabric fabric(events, std::vector<LinkShare>(10, {10.0}), solver);
  std::vector<Instant> ends(300);
  std::vector<std::vector<PhaseLoad>> phases(300);
  for (std::size_t move = 0; move < 300; ++move) {
    const auto number = static_cast<std::int32_t>(move);
    phases[move] = {{1, {{number % 10}}}, {1, {{(number * 7 + 3) % 10, 0.5}}}};
    events.at(Instant{static_cast<std::int64_t>(move * 40'000'000'000)}, [&, move, number] {
      fabric.start({.phases = phases[move],
                    .size = Bytes{5.0 + number % 13},
                    .bound = {number % 4 == 0 ? 3.0 : 100.0},
                    .done = [&, move] { ends[move] = events.now(); },
                    .traffic = {number % 3, 1.0 + number % 2}});
    });
  }
  events.run();
  return ends;
}

TEST(StrictPriority, IsTheSameIncrementallyAndFromScratch) {
  const std::vector<Instant> ends = ends_of_moves(Solver::incremental);
  EXPECT_EQ(ends, ends_of_moves(Solver::from_scratch));
  for (const Instant end : ends) EXPECT_GT(end, Instant{});
}

}  // namespace
}  // namespace quintet
