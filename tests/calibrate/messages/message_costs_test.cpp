// Costs of messages from fabricated timings, and what ranks say of them.
#include "calibrate/ranks/message_costs.h"

#include <gtest/gtest.h>

#include "calibrate/ranks/rings.h"

namespace quintet::calibrate {
namespace {

using namespace literals;

// 4 ranks: a ring all-reduce has 4 * 6 = 24 messages and 6 steps, and moves 6 times its size.
// 100 small ones: 2,400 messages that cost computing 24 ms: 10 us each; 600 steps in 60 ms: 100 us,
// and 60 in 60 ms where computing crowds them: 1 ms. 10 of 8 MB move 480 MB with 240 messages;
// 1.0024 s less 240 * 10 us leave 1 s: 480 MB/s. What they took of idle cores does not matter.
TEST(MessageCosts, OfCoresAreWhatComputingLost) {
  const Result<ProcessorCosts> costs =
      processor_costs({{4, 8_MB, 10, 1_s, 7_s}, {4, 256_B, 100, 60_ms, 7_s}},
                      {{4, 8_MB, 10, 2_s, 1002.4_ms}, {4, 256_B, 10, 60_ms, 2.4_ms}});
  ASSERT_TRUE(costs) << costs.error().text();
  EXPECT_NEAR(costs->crowded_latency.value, 1e-3, 1e-15);
  EXPECT_NEAR(costs->message_work.value, 10e-6, 1e-15);
  EXPECT_NEAR(costs->message_latency.value, 100e-6, 1e-15);
  EXPECT_NEAR(costs->message_rate.value, 480e6, 1e-3);
}

// As on a machine whose cores others took all the time: a rate would be a division by zero.
TEST(MessageCosts, WithoutCoreTimeThereIsNoRate) {
  const RingPair pair{{4, 8_MB, 10, 2_s, Seconds{}}, {4, 256_B, 100, 60_ms, 24_ms}};
  const auto costs = processor_costs(pair, pair);
  ASSERT_FALSE(costs);
  EXPECT_EQ(costs.error().text(),
            "timing messages: computing lost no core time by them beside what other programs take; "
            "wait until the machine is idle");
}

// Each rank sends 2 * 3/4 of 8 MB, ten times: 120 MB in 1.2 s are 100 MB/s. The wire allows 125;
// two cores that need 2.1818 s for the 480 MB allow the four ranks 110 each.
TEST(MessageCosts, TheShareReachedIsOfTheWireOrTheCores) {
  EXPECT_DOUBLE_EQ(reached_share({4, 8_MB, 10, 1.2_s, 0.5_s}, 1_Gbps, 2), 0.8);
  EXPECT_DOUBLE_EQ(reached_share({4, 8_MB, 10, 1.2_s, Seconds{24.0 / 11}}, 1_Gbps, 2),
                   100.0 / 110.0);
  EXPECT_DOUBLE_EQ(reached_share({4, 8_MB, 10, 1.2_s, Seconds{}}, 1_Gbps, 2), 0.8);
}

TEST(MessageCosts, NumbersReadBackToTheSameTimings) {
  const RingTimings timings{{{4, 8_MB, 10, Seconds{1.0 / 3}, 1_s}, {4, 256_B, 7, 3_us, Seconds{}}},
                            {{4, 8_MB, 11, Seconds{2.0 / 3}, 3_s}, {4, 256_B, 9, 5_ms, 1_us}}};
  EXPECT_EQ(rings_of(numbers_of(timings)), timings);
  EXPECT_FALSE(rings_of({4, 8, 10}));
}

}  // namespace
}  // namespace quintet::calibrate
