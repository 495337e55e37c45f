// Costs of messages from fabricated timings, and what ranks say of them.
#include "calibrate/message_costs.h"

#include <gtest/gtest.h>

#include "calibrate/ring_rank.h"

namespace quintet::calibrate {
namespace {

using namespace literals;

// 4 ranks: a ring all-reduce has 4 * 6 = 24 messages and 6 steps, and moves 6 times its size.
// 100 small ones: 2,400 messages in 24 ms of core time: 10 us each; 600 steps in 60 ms: 100 us.
// 10 of 8 MB move 480 MB with 240 messages; 1.0024 s less 240 * 10 us leave 1 s: 480 MB/s.
TEST(MessageCosts, AreThoseOfBytesAndOfMessages) {
  const Result<ProcessorCosts> costs = processor_costs(
      {4, 8_MB, 10, 2_s, 1002.4_ms}, {4, 256_B, 100, 60_ms, 24_ms}, {4, 256_B, 10, 60_ms, 24_ms});
  ASSERT_TRUE(costs) << costs.error().text();
  EXPECT_NEAR(costs->crowded_latency.value, 1e-3, 1e-15);  // 60 steps
  EXPECT_NEAR(costs->message_work.value, 10e-6, 1e-15);
  EXPECT_NEAR(costs->message_latency.value, 100e-6, 1e-15);
  EXPECT_NEAR(costs->message_rate.value, 480e6, 1e-3);
}

// As on a machine whose cores others took all the time: a rate would be a division by zero.
TEST(MessageCosts, WithoutCoreTimeThereIsNoRate) {
  const auto costs = processor_costs({4, 8_MB, 10, 2_s, Seconds{}}, {4, 256_B, 100, 60_ms, 24_ms},
                                     {4, 256_B, 10, 60_ms, 24_ms});
  ASSERT_FALSE(costs);
  EXPECT_EQ(costs.error().text(),
            "timing messages: no core time is left for them beside what other programs take; wait "
            "until the machine is idle");
}

// Each rank sends 2 * 3/4 of 8 MB, ten times: 120 MB in 1.2 s are 100 MB/s. The wire allows 125;
// two cores that move 220 MB/s each allow the four ranks 110 each.
TEST(MessageCosts, TheShareReachedIsOfTheWireOrTheCores) {
  ProcessorCosts costs;
  costs.message_rate = 1_GBps;
  EXPECT_DOUBLE_EQ(reached_share({4, 8_MB, 10, 1.2_s, 1_s}, 1_Gbps, 2, costs), 0.8);
  costs.message_rate = 220_MBps;
  EXPECT_DOUBLE_EQ(reached_share({4, 8_MB, 10, 1.2_s, 1_s}, 1_Gbps, 2, costs), 100.0 / 110.0);
}

TEST(MessageCosts, ALineReadsBackToTheSameTimings) {
  const RingTimings timings{{4, 8_MB, 10, Seconds{1.0 / 3}, 1_s},
                            {4, 256_B, 7, 3_us, Seconds{}},
                            {4, 256_B, 9, 5_ms, 1_us}};
  const Result<RingTimings> read = parse_timings(line_of(timings));
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, timings);
  EXPECT_FALSE(parse_timings("4 8 10"));
}

}  // namespace
}  // namespace quintet::calibrate
