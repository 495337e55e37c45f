#include "sim/explain/causality.h"

#include <gtest/gtest.h>

#include "tests/support/timelines.h"

namespace quintet {
namespace {

// A message whose send starts at 100 on rank 0 and whose receive ends at `end` on rank 8.
Timeline message(std::int64_t end) {
  Timeline timeline = small_world(1000);
  const std::int32_t first = add_track(timeline, 0), second = add_track(timeline, 1);
  add_span(timeline, first, On::send, 100, 110, 200).flow = 4;
  add_span(timeline, first, On::send, 300, 310, 320).flow = 5;
  add_span(timeline, second, On::receive, 10, 20, end).flow = 4;
  add_span(timeline, second, On::receive, 10, 20, 30);  // nobody knows its send
  return timeline;
}

TEST(Causality, AMessageMayArriveWhileItIsSent) {
  EXPECT_EQ(causality_breaks(message(100), {0}), std::vector<CausalityBreak>{});
  EXPECT_EQ(causality_warning(message(100)), std::nullopt);
}

// It ended 30 before its send began: more than 29, not more than 30.
TEST(Causality, ClocksMayBeApartByTheirBound) {
  EXPECT_EQ(causality_breaks(message(70), {30}), std::vector<CausalityBreak>{});
  EXPECT_EQ(causality_breaks(message(70), {29}), (std::vector<CausalityBreak>{{0, 2, {30}}}));
}

TEST(Causality, TheWarningNamesTheRanks) {
  Timeline timeline = message(70);
  timeline.spans[0].start = {2'000'070};
  timeline.measurement = Measurement{.clock_bound = {1'500'000}};
  EXPECT_EQ(causality_warning(timeline),
            "1 messages arrive before they are sent: the ranks' clocks are further apart than the "
            "1.5 us that were measured; the worst goes from rank 0 to rank 8, 2.0 us too early");
  timeline.measurement->clock_bound = {2'000'000};
  EXPECT_EQ(causality_warning(timeline), std::nullopt);
}

}  // namespace
}  // namespace quintet
