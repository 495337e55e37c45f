// What steps take beside operators, from fabricated timelines.
#include "calibrate/probes/message_tail.h"

#include <gtest/gtest.h>

namespace quintet::calibrate {
namespace {

using namespace literals;

constexpr std::int64_t microsecond = 1'000'000;  // in picoseconds

Duration us(std::int64_t time) {
  return {time * microsecond};
}

// Two ranks with three operators of 10 us of processor time each, which begin 12 us apart (the
// second rank lost its core for 500 us before its last), and a message of 1,000 bytes from one to
// the other, for which the sender's own thread took 1 us.
Timeline step(Duration processors) {
  Timeline timeline;
  timeline.infos.resize(3);
  timeline.infos[0].kind = SpanKind::compute;
  timeline.infos[1].kind = SpanKind::send;
  timeline.infos[1].size = 1000_B;
  timeline.infos[2].kind = SpanKind::collective;
  timeline.infos[2].size = 8_B;
  const auto add = [&](std::int32_t track, std::int32_t info, std::int64_t at, std::int64_t cpu) {
    Span span;
    span.track = track;
    span.info = info;
    span.start = span.moving = Instant{at * microsecond};
    span.end = Instant{(at + 11) * microsecond};
    timeline.spans.push_back(span);
    timeline.cpu.push_back(us(cpu));
  };
  for (const std::int64_t at : {0, 12, 24}) add(0, 0, at, 10);
  add(0, 1, 36, 1);
  add(0, 2, 47, 0);
  for (const std::int64_t at : {0, 12, 524}) add(1, 0, at, 10);
  timeline.measurement = Measurement{};
  timeline.measurement->step = 7;
  timeline.measurement->steps = {{6, us(600), us(900)}, {7, us(600), processors}};
  return timeline;
}

// 12 us from start to start less 10 us computed, in the median of four.
TEST(MessageTail, BetweenOperatorsCountsNoLostCore) {
  EXPECT_EQ(us(2), time_between_operators(step(us(100))));
}

// Of 100 us 61 are spans' (6 operators, one message), and 6 x 2 us between operators: 27 us.
TEST(MessageTail, IsWhatProcessesHadBesideTheirOwnThreads) {
  const auto found = beside_operators(step(us(100)));
  ASSERT_TRUE(found);
  EXPECT_EQ(1, found->messages);
  EXPECT_EQ(1000_B, found->size);
  EXPECT_NEAR(27e-6, found->time.value, 1e-12);
}

// 1,000 bytes at 100 MB/s take 10 us, a message 5 us: of 27 us 12 are left. The median of three.
TEST(MessageTail, LacksWhatTheTablePrices) {
  ProcessorCosts costs;
  costs.message_rate = Bandwidth{1e8};
  costs.message_work = 5_us;
  set_message_tail({{27_us, 1, 1000_B}, {10_us, 1, 1000_B}, {54_us, 1, 1000_B}}, costs);
  EXPECT_NEAR(12e-6, costs.message_tail.value, 1e-12);
}

TEST(MessageTail, IsNotToldByRunsThatDoNotTell) {
  EXPECT_FALSE(beside_operators(step(us(0))));  // of a trace without processes' times
  Timeline sums = step(us(100));
  sums.infos[2].size = 4096_B;
  EXPECT_FALSE(beside_operators(sums));
  Timeline recorded = step(us(100));
  recorded.cpu.clear();
  EXPECT_FALSE(beside_operators(recorded));
}

}  // namespace
}  // namespace quintet::calibrate
