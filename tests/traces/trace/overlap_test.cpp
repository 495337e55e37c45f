#include "traces/trace/overlap.h"

#include <gtest/gtest.h>

namespace quintet {
namespace {

TraceEvent kernel(std::int64_t start, std::int64_t end, std::int32_t facts) {
  return {.start = start, .time = end - start, .facts = facts, .kind = EventKind::kernel};
}

// Communication in [0, 10) and [5, 20) is 20 long; compute in [8, 12), [11, 13) and [19, 30) covers
// [8, 13) and [19, 20) of it. Copies compute nothing.
TEST(Overlap, CountsEachNanosecondOnce) {
  RankTrace trace;
  trace.communications.resize(1);
  trace.events = {kernel(0, 10, 0),   kernel(5, 20, 0),
                  kernel(8, 12, -1),  kernel(11, 13, -1),
                  kernel(19, 30, -1), {.start = 0, .time = 30, .kind = EventKind::copy}};
  EXPECT_EQ(communication_overlap(trace), (CommunicationOverlap{20, 6, 14}));
  EXPECT_DOUBLE_EQ(communication_overlap(trace).ratio(), 0.3);
}

TEST(Overlap, IsNothingWithoutCommunication) {
  RankTrace trace;
  trace.events = {kernel(0, 10, -1)};
  EXPECT_EQ(communication_overlap(trace), CommunicationOverlap{});
  EXPECT_EQ(communication_overlap(trace).ratio(), 0);
}

}  // namespace
}  // namespace quintet
